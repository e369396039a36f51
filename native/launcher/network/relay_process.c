#define _GNU_SOURCE
#include "network/relay_process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel_abi.h"
#include "network/dns.h"
#include "network/flow.h"
#include "network/fresh_sockets.h"
#include "network/relay.h"
#include "network/relay_confine.h"

#define FLOWS_MAX 4000
#define DESCRIPTORS_APART 200
#define DESCRIPTORS_OF_FLOW 6

static int compare_numbers(const void *one, const void *other)
{
	return *(const int *)one - *(const int *)other;
}

/* The relay keeps only the run's sockets and its way to the launcher, in a table of its own. */
static int keep_descriptors(const struct relay *relay, int meeting)
{
	int kept[RUN_SOCKETS_MAX + 3], next = 0;
	size_t count = 0;

	for (size_t i = 0; i < relay->sockets.count; i++)
		kept[count++] = relay->sockets.list[i].fd;
	kept[count++] = relay->reports;
	kept[count++] = relay->answers.fd;
	kept[count++] = meeting;
	qsort(kept, count, sizeof(kept[0]), compare_numbers);
	if (unshare(CLONE_FILES) < 0)
		return -errno;
	for (size_t i = 0; i < count; i++) {
		if (kept[i] > next && syscall(__NR_close_range, next, kept[i] - 1, 0) < 0)
			for (int fd = next; fd < kept[i]; fd++)
				close(fd);
		next = kept[i] + 1;
	}
	struct rlimit limit;
	if (syscall(__NR_close_range, next, ~0u, 0) < 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0)
		for (int fd = next; (rlim_t)fd < limit.rlim_max && fd < 1 << 20; fd++)
			close(fd);
	return 0;
}

static void allow_many_flows(struct relay *relay)
{
	struct rlimit limit = { 1024, 1024 };

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
	rlim_t room = limit.rlim_cur > DESCRIPTORS_APART ? (limit.rlim_cur - DESCRIPTORS_APART) / DESCRIPTORS_OF_FLOW : 16;
	relay->flow_limit = room < FLOWS_MAX ? (size_t)room : FLOWS_MAX;
}

static void take_socket(struct relay *relay, const struct run_socket *socket)
{
	const int family = socket->family == AF_INET6;

	switch (socket->kind) {
	case ROUTE_SOCKET: relay->routes = socket->fd; return;
	case RAW_SYN: relay->syns[family] = socket->fd; return;
	case RAW_ICMP: relay->errors[family] = socket->fd; return;
	case FRESH_LISTENER: relay->fresh[family].listener = socket->fd; return;
	case FRESH_CLIENT: relay->fresh[family].client = socket->fd; return;
	case SYN_LISTENER:
	case NAME_DATAGRAMS:
	case NAME_LISTENER: return;
	}
}

/* If connections cannot be opened from this side, the listeners accept them. */
static int accept_instead(const struct run_socket *socket)
{
	const int unused = 0;

	if (setsockopt(socket->fd, SOL_SOCKET, SO_DETACH_FILTER, &unused, sizeof(unused)) < 0)
		return -errno;
	return listen(socket->fd, FLOWS_MAX) < 0 ? -errno : 0;
}

static bool kind_of_source(const struct relay *relay, enum run_socket_kind kind, enum source_kind *source)
{
	switch (kind) {
	case RAW_SYN: *source = SOURCE_SYNS; return relay->exact;
	case SYN_LISTENER: *source = SOURCE_ACCEPT; return !relay->exact;
	case NAME_DATAGRAMS: *source = SOURCE_NAME_DATAGRAMS; return true;
	case NAME_LISTENER: *source = SOURCE_NAME_LISTENER; return true;
	default: return false;
	}
}

static int watch_sockets(struct relay *relay)
{
	static struct source sources[RUN_SOCKETS_MAX];

	for (size_t i = 0; i < relay->sockets.count; i++) {
		const struct run_socket *socket = &relay->sockets.list[i];
		enum source_kind kind;
		int error = !relay->exact && socket->kind == SYN_LISTENER ? accept_instead(socket) : 0;
		if (error)
			return error;
		if (!kind_of_source(relay, socket->kind, &kind))
			continue;
		sources[i] = (struct source){ .kind = kind, .fd = socket->fd, .family = socket->family };
		watch_source(relay, &sources[i], EPOLLIN);
	}
	return 0;
}

/* Entries of /etc/hosts: programs use them without a query. `ADDRESS NAME` each. */
static void pin_hosts(struct relay *relay, const char *const *pinned)
{
	for (; *pinned; pinned++) {
		char address[HOST_TEXT];
		struct in6_addr host;
		const char *name = strchr(*pinned, ' ');
		if (!name || (size_t)(name - *pinned) >= sizeof(address))
			continue;
		memcpy(address, *pinned, (size_t)(name - *pinned));
		address[name - *pinned] = '\0';
		const struct network_rule *rule = rule_for_name(&relay->rules, name + 1, 0);
		if (rule && read_host(address, &host) && (is_public(&host) || (rule->local && is_of_local_network(&host))))
			(void)open_address(relay, name + 1, &host);
	}
}

static void read_servers(struct relay *relay, const char *const *servers)
{
	for (; *servers && relay->server_count < NAME_SERVERS_MAX; servers++)
		if (read_host(*servers, &relay->servers[relay->server_count]))
			relay->server_count++;
	/* As in resolv.conf(5): without an entry, the name server is on this machine. */
	if (relay->server_count == 0)
		read_host("127.0.0.1", &relay->servers[relay->server_count++]);
}

static int set_up(struct relay *relay, const struct options *options, int meeting)
{
	int error = keep_descriptors(relay, meeting);

	if (error)
		return error;
	allow_many_flows(relay);
	for (size_t i = 0; i < relay->sockets.count; i++)
		take_socket(relay, &relay->sockets.list[i]);
	relay->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (relay->epoll < 0)
		return -errno;
	if ((error = confine_relay()))
		return error;
	read_servers(relay, options->name_servers);
	pin_hosts(relay, options->pinned_hosts);
	relay->search = options->search_domains;
	watch_source(relay, &relay->answers, EPOLLIN);
	relay->exact = relay->rules.port_count == 0 || try_exact_opening(relay, AF_INET);
	if (relay->rules.port_count > 0)
		atomic_store(&relay->shared->opening, relay->exact ? AS_OUTSIDE : ACCEPTED_FIRST);
	return watch_sockets(relay);
}

void be_relay(const struct options *options, const struct relay_process *process, const int ends[RELAY_ENDS], pid_t launcher)
{
	static struct relay relay; /* large, and mostly never touched */
	struct greeting greeting;
	sigset_t all;
	const int meeting = ends[RELAY_MEETING];

	/* Signals of a terminal are for the command. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0 || getppid() != launcher)
		_exit(125);
	if (recv(meeting, &greeting, sizeof(greeting), 0) != sizeof(greeting))
		_exit(125);
	relay.routes = -1;
	for (int family = 0; family < 2; family++)
		relay.syns[family] = relay.errors[family] = relay.fresh[family].listener = -1;
	relay.sockets = *process->sockets;
	munmap(process->sockets, sizeof(*process->sockets));
	relay.shared = process->shared;
	relay.rules = *process->rules;
	relay.reports = ends[RELAY_REPORTS];
	relay.answers = (struct source){ .kind = SOURCE_ANSWERS, .fd = ends[RELAY_ANSWERS] };
	greeting.error = set_up(&relay, options, meeting);
	if (send(meeting, &greeting, sizeof(greeting), MSG_NOSIGNAL) < 0 || greeting.error)
		_exit(125);
	close(meeting);
	run_relay(&relay);
	_exit(0);
}
