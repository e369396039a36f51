/* Addresses: connections and datagrams of the run. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "abi.h"
#include "notify.h"
#include "own_sockets.h"
#include "violations.h"

union address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
	char bytes[sizeof(struct sockaddr_un) + 1];
};

#define ADDRESS_TEXT (INET6_ADDRSTRLEN + 16)

static const char *show_internet(const union address *address, char text[ADDRESS_TEXT])
{
	char host[INET6_ADDRSTRLEN] = "?";

	if (address->any.sa_family == AF_INET) {
		inet_ntop(AF_INET, &address->in.sin_addr, host, sizeof(host));
		snprintf(text, ADDRESS_TEXT, "%s:%u", host, ntohs(address->in.sin_port));
	} else {
		inet_ntop(AF_INET6, &address->in6.sin6_addr, host, sizeof(host));
		snprintf(text, ADDRESS_TEXT, "[%s]:%u", host, ntohs(address->in6.sin6_port));
	}
	return text;
}

static bool is_loopback(const union address *address)
{
	if (address->any.sa_family == AF_INET)
		return (ntohl(address->in.sin_addr.s_addr) >> 24) == 127 || address->in.sin_addr.s_addr == 0;
	const struct in6_addr *host = &address->in6.sin6_addr;
	return IN6_IS_ADDR_LOOPBACK(host) || IN6_IS_ADDR_UNSPECIFIED(host) ||
	       (IN6_IS_ADDR_V4MAPPED(host) && host->s6_addr[12] == 127);
}

static int refuse(const struct call *call, const char *rule, const char *target, int error)
{
	struct violation violation = { "connect", call->name, rule, target, "" };

	report_violation(call->watch->control, &call->caller, &violation);
	return error;
}

/* The network namespace is the boundary; this only says where the call wanted to go. */
static int judge_internet(const struct call *call, const union address *address)
{
	const struct options *options = call->watch->options;
	char text[ADDRESS_TEXT];

	if (!options->network_namespace || (options->loopback && is_loopback(address)))
		return CONTINUE;
	return refuse(call, "network", show_internet(address, text), -ENETUNREACH);
}

/* A connection made on the caller's behalf: what was checked is what is connected to, whatever happens to the path or
 * to the caller's memory. It may block (a full backlog), so it has a thread. */
struct errand {
	const struct watch *watch;
	uint64_t id;
	int socket, target;
};

static void *run_errand(void *argument)
{
	struct errand *errand = argument;
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d", errand->target);
	int result = connect(errand->socket, (struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : 0;
	close(errand->socket);
	close(errand->target);
	answer(errand->watch, errand->id, result);
	free(errand);
	return NULL;
}

static int take_socket(const struct call *call)
{
	pid_t process = process_of(call->caller.pid);
	int pidfd = process < 0 ? process : (int)syscall(__NR_pidfd_open, process, 0);

	if (pidfd < 0)
		return -EACCES;
	int copy = (int)syscall(__NR_pidfd_getfd, pidfd, (int)call->data->args[0], 0);
	int error = errno;
	close(pidfd);
	return copy < 0 ? -error : copy;
}

/* Owns `target` from here on. */
static int connect_on_behalf(const struct call *call, int target)
{
	struct errand *errand = malloc(sizeof(*errand));
	pthread_t thread;
	pthread_attr_t attributes;

	if (!errand) {
		close(target);
		return -ENOMEM;
	}
	*errand = (struct errand){ call->watch, call->id, take_socket(call), target };
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	int error = errand->socket < 0 ? errand->socket : -pthread_create(&thread, &attributes, run_errand, errand);
	pthread_attr_destroy(&attributes);
	if (!error)
		return ANSWERED;
	if (errand->socket >= 0)
		close(errand->socket);
	close(target);
	free(errand);
	return error == -EBADF ? error : -EACCES;
}

static bool is_allowed(const struct options *options, const char *path)
{
	for (const char *const *allowed = options->unix_sockets; *allowed; allowed++)
		if (strcmp(*allowed, path) == 0)
			return true;
	return false;
}

/* Abstract names belong to a network namespace, and to a Landlock scope from ABI 6 on: with either the kernel decides. */
static int judge_abstract(const struct call *call)
{
	const struct options *options = call->watch->options;

	return options->network_namespace || options->scoped ? CONTINUE :
							       refuse(call, "unix-socket", "(abstract)", -EACCES);
}

static int judge_unix(const struct call *call, union address *address, socklen_t length, bool stream)
{
	char resolved[PATH_MAX];
	struct stat info;

	if (length <= offsetof(struct sockaddr_un, sun_path))
		return CONTINUE; /* unnamed */
	if (address->un.sun_path[0] == '\0')
		return judge_abstract(call);
	int fd = resolve(&call->caller, AT_FDCWD, address->un.sun_path, FOLLOW, resolved);
	if (!still_waits(call)) {
		if (fd >= 0)
			close(fd);
		return CONTINUE;
	}
	if (fd == -ENOENT)
		return -ENOENT;
	if (fd < 0 || fstat(fd, &info) < 0 || !S_ISSOCK(info.st_mode)) {
		if (fd >= 0)
			close(fd);
		return fd < 0 ? refuse(call, "unix-socket", address->un.sun_path, -EACCES) : -ECONNREFUSED;
	}
	if (is_allowed(call->watch->options, resolved) || is_own_socket(call->watch, &info)) {
		if (stream)
			return connect_on_behalf(call, fd);
		close(fd);
		return CONTINUE;
	}
	close(fd);
	return refuse(call, "unix-socket", resolved, -EACCES);
}

static int judge_address(const struct call *call, uint64_t pointer, socklen_t length, bool connects)
{
	union address address;

	memset(&address, 0, sizeof(address));
	if (length > sizeof(struct sockaddr_un))
		length = sizeof(struct sockaddr_un);
	if (length < sizeof(sa_family_t) || read_memory(&call->caller, pointer, address.bytes, length) != (ssize_t)length)
		return CONTINUE; /* EINVAL, EFAULT: the kernel says it itself */
	switch (address.any.sa_family) {
	case AF_INET:
	case AF_INET6:
		return still_waits(call) ? judge_internet(call, &address) : CONTINUE;
	case AF_UNIX: return judge_unix(call, &address, length, connects);
	default: return CONTINUE; /* AF_UNSPEC dissolves an association; other families have no sockets here */
	}
}

int judge_connect(const struct call *call)
{
	return judge_address(call, call->data->args[1], (socklen_t)call->data->args[2], true);
}

static int judge_message(const struct call *call, uint64_t pointer)
{
	struct msghdr header;

	if (read_memory(&call->caller, pointer, &header, sizeof(header)) != sizeof(header))
		return CONTINUE;
	if (!header.msg_name)
		return CONTINUE;
	return judge_address(call, (uint64_t)(uintptr_t)header.msg_name, header.msg_namelen, false);
}

#define MESSAGES_MAX 1024 /* UIO_MAXIOV: the kernel takes no more in one call */

int judge_send(const struct call *call)
{
	const __u64 *args = call->data->args;
	int result = CONTINUE;

	if (call->data->nr == __NR_sendto)
		return judge_address(call, args[4], (socklen_t)args[5], false);
	if (call->data->nr == __NR_sendmsg)
		return judge_message(call, args[1]);
	for (uint64_t i = 0; i < args[2] && i < MESSAGES_MAX && result == CONTINUE; i++)
		result = judge_message(call, args[1] + i * sizeof(struct mmsghdr));
	return result;
}
