#define _GNU_SOURCE
#include "supervise/blocking_call.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "supervise/as_caller.h"

/* A call made on the caller's behalf: the socket and the address that were checked are what is used, whatever another thread does to
 * the descriptor, the path or the memory. It may block (a full backlog, a slow peer), so it has a thread. */
struct errand {
	struct errand *next;
	int (*run)(struct errand *);
	const struct watch *watch;
	uint64_t id;
	int socket;
	int target;             /* O_PATH of a unix socket, or -1 */
	int listener;           /* kept listening, or -1 */
	ino_t inode, listening; /* of `socket` and, with one, of `listener` */
	int how;                /* of shutdown(2) */
	bool as_other;          /* the caller's identity is not the launcher's */
	struct identity identity;
	union {
		struct sockaddr any;
		struct sockaddr_un un;
		struct sockaddr_storage room;
	} address;
	socklen_t length;
};

/* Those under way. Each holds two descriptors, and a peer that never accepts holds it for good: the supervisor keeps enough of
 * them to look at other calls and to find the tree that it has to end. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t one_less;
	struct errand *first;
	int count;
} under_way = { .lock = PTHREAD_MUTEX_INITIALIZER, .one_less = PTHREAD_COND_INITIALIZER };

#define SPARE_DESCRIPTORS 64
#define ERRANDS_MAX 1024

static int errands_allowed(void)
{
	struct rlimit limit;
	rlim_t room = getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur < SPARE_DESCRIPTORS ?
			      0 :
			      (limit.rlim_cur - SPARE_DESCRIPTORS) / 2;

	return room < ERRANDS_MAX ? (int)room : ERRANDS_MAX;
}

static bool add_errand(struct errand *errand)
{
	pthread_mutex_lock(&under_way.lock);
	bool room = under_way.count < errands_allowed();
	if (room) {
		errand->next = under_way.first;
		under_way.first = errand;
		under_way.count++;
	}
	pthread_mutex_unlock(&under_way.lock);
	return room;
}

static void remove_errand(const struct errand *errand)
{
	pthread_mutex_lock(&under_way.lock);
	struct errand **at = &under_way.first;
	while (*at != errand)
		at = &(*at)->next;
	*at = errand->next;
	under_way.count--;
	pthread_cond_broadcast(&under_way.one_less);
	pthread_mutex_unlock(&under_way.lock);
}

static void close_all(const struct errand *errand)
{
	close(errand->socket);
	if (errand->target >= 0)
		close(errand->target);
	if (errand->listener >= 0)
		close(errand->listener);
}

static ino_t inode_of(int descriptor)
{
	struct stat info;

	return fstat(descriptor, &info) < 0 ? 0 : info.st_ino;
}

static int run_connect(struct errand *errand)
{
	if (errand->target >= 0) {
		struct sockaddr_un *un = &errand->address.un;
		errand->length = sizeof(*un);
		snprintf(un->sun_path, sizeof(un->sun_path), "/proc/self/fd/%d", errand->target);
	}
	return connect(errand->socket, &errand->address.any, errand->length) < 0 ? -errno : 0;
}

static bool is_undecided(int socket)
{
	struct tcp_info info;
	socklen_t length = sizeof(info);

	return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 && info.tcpi_state == TCP_SYN_SENT;
}

/* The caller does not wait, but the kernel goes on asking for the connection (a full backlog): whoever listens there then
 * would get it. */
static int run_connect_to_listener(struct errand *errand)
{
	int listens = 0;
	socklen_t length = sizeof(listens);

	/* A shutdown that waited for others may have come first; from here on the next one waits for this. */
	if (getsockopt(errand->listener, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) < 0 || !listens)
		return -ECONNREFUSED;
	int result = run_connect(errand);
	if (result != -EINPROGRESS || !is_undecided(errand->socket))
		return result;
	answer(errand->watch, errand->id, result);
	while (is_undecided(errand->socket))
		(void)poll(&(struct pollfd){ .fd = errand->socket, .events = POLLOUT }, 1, 1000);
	return ANSWERED;
}

static bool is_kept_listening(ino_t inode)
{
	for (const struct errand *errand = under_way.first; errand; errand = errand->next)
		if (errand->listener >= 0 && errand->listening == inode)
			return true;
	return false;
}

static int run_shutdown(struct errand *errand)
{
	pthread_mutex_lock(&under_way.lock);
	while (is_kept_listening(errand->inode))
		pthread_cond_wait(&under_way.one_less, &under_way.lock);
	int result = shutdown(errand->socket, errand->how) < 0 ? -errno : 0;
	pthread_mutex_unlock(&under_way.lock);
	return result;
}

static void *run_errand(void *argument)
{
	struct errand *errand = argument;
	/* The peer asks by SO_PEERCRED who it is, and the file of a unix socket is open to some and not to others. */
	int result = errand->as_other && assume_identity(&errand->identity) ? -EACCES : errand->run(errand);

	remove_errand(errand);
	close_all(errand);
	if (result != ANSWERED)
		answer(errand->watch, errand->id, result);
	free(errand);
	return NULL;
}

static int start_thread(struct errand *errand)
{
	pthread_t thread;
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, 64 * 1024);
	int error = pthread_create(&thread, &attributes, run_errand, errand);
	pthread_attr_destroy(&attributes);
	return error ? -ENOMEM : 0;
}

static int start_errand(const struct call *call, const struct errand *wanted)
{
	struct errand *errand = malloc(sizeof(*errand));
	int error = -ENOMEM;

	if (errand) {
		*errand = *wanted;
		errand->watch = call->watch;
		errand->id = call->id;
		error = read_identity(call->caller.pid, &errand->identity) || !still_waits(call) ? -EACCES : 0;
		errand->as_other = !error && !is_own_identity(&errand->identity);
	}
	if (!error)
		error = add_errand(errand) ? 0 : -EAGAIN; /* as from a full backlog */
	if (!error && (error = start_thread(errand)) < 0)
		remove_errand(errand);
	if (!error)
		return ANSWERED;
	free(errand);
	close_all(wanted);
	return error;
}

int connect_on_behalf(const struct call *call, int socket, int target, const struct sockaddr *address, socklen_t length)
{
	struct errand errand = { .run = run_connect, .socket = socket, .target = target, .listener = -1, .length = length };

	memcpy(&errand.address, address, length);
	return start_errand(call, &errand);
}

int connect_to_listener(const struct call *call, int socket, int listener, const struct sockaddr *address,
			socklen_t length)
{
	struct errand errand = {
		.run = run_connect_to_listener,
		.socket = socket,
		.target = -1,
		.listener = listener,
		.inode = inode_of(socket),
		.listening = inode_of(listener),
		.length = length,
	};

	memcpy(&errand.address, address, length);
	return start_errand(call, &errand);
}

bool is_under_way(int socket)
{
	ino_t inode = inode_of(socket);
	bool is = false;

	pthread_mutex_lock(&under_way.lock);
	for (const struct errand *errand = under_way.first; errand && !is; errand = errand->next)
		is = errand->listener >= 0 && errand->inode == inode;
	pthread_mutex_unlock(&under_way.lock);
	return is;
}

int shutdown_on_behalf(const struct call *call, int socket, int how)
{
	struct errand errand = {
		.run = run_shutdown,
		.socket = socket,
		.target = -1,
		.listener = -1,
		.inode = inode_of(socket),
		.how = how,
	};

	pthread_mutex_lock(&under_way.lock);
	bool waits = is_kept_listening(errand.inode);
	int result = waits ? 0 : shutdown(socket, how) < 0 ? -errno : 0;
	pthread_mutex_unlock(&under_way.lock);
	if (waits)
		return start_errand(call, &errand);
	close(socket);
	return result;
}
