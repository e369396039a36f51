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

#include "answer/net/relayed.h"
#include "supervise/as_task.h"

/* A call on the task's behalf. It uses the socket and the address that were checked, even if another thread changes the
 * descriptor, the path or the memory. It may block (a full backlog, a slow peer), so it has a thread. */
struct blocking_call {
	struct blocking_call *next;
	int (*run)(struct blocking_call *);
	const struct watch *watch;
	uint64_t id;
	pid_t pid;              /* the task */
	int socket;
	int target;             /* O_PATH of a unix socket, or -1 */
	int listener;           /* kept listening, or -1 */
	ino_t inode, listening; /* of `socket` and, with one, of `listener` */
	int how;                /* of shutdown(2) */
	bool as_other;          /* the task's identity is not the launcher's */
	struct identity identity;
	union {
		struct sockaddr any;
		struct sockaddr_un un;
		union address whole;
		struct sockaddr_storage room;
	} address;
	socklen_t length;
};

/* The calls in progress. Each holds two descriptors, and a peer that never accepts holds them for good. The supervisor keeps
 * enough descriptors to check other calls and to find the tree that it has to end. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t one_less;
	struct blocking_call *first;
	int count;
} under_way = { .lock = PTHREAD_MUTEX_INITIALIZER, .one_less = PTHREAD_COND_INITIALIZER };

#define SPARE_DESCRIPTORS 64
#define ERRANDS_MAX 1024

static int blocking_calls_allowed(void)
{
	struct rlimit limit;
	rlim_t room = getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur < SPARE_DESCRIPTORS ?
			      0 :
			      (limit.rlim_cur - SPARE_DESCRIPTORS) / 2;

	return room < ERRANDS_MAX ? (int)room : ERRANDS_MAX;
}

static bool add_blocking_call(struct blocking_call *blocking)
{
	pthread_mutex_lock(&under_way.lock);
	bool room = under_way.count < blocking_calls_allowed();
	if (room) {
		blocking->next = under_way.first;
		under_way.first = blocking;
		under_way.count++;
	}
	pthread_mutex_unlock(&under_way.lock);
	return room;
}

static void remove_blocking_call(const struct blocking_call *blocking)
{
	pthread_mutex_lock(&under_way.lock);
	struct blocking_call **at = &under_way.first;
	while (*at != blocking)
		at = &(*at)->next;
	*at = blocking->next;
	under_way.count--;
	pthread_cond_broadcast(&under_way.one_less);
	pthread_mutex_unlock(&under_way.lock);
}

static void close_all(const struct blocking_call *blocking)
{
	close(blocking->socket);
	if (blocking->target >= 0)
		close(blocking->target);
	if (blocking->listener >= 0)
		close(blocking->listener);
}

static ino_t inode_of(int descriptor)
{
	struct stat info;

	return fstat(descriptor, &info) < 0 ? 0 : info.st_ino;
}

static int run_connect(struct blocking_call *blocking)
{
	if (blocking->target >= 0) {
		struct sockaddr_un *un = &blocking->address.un;
		blocking->length = sizeof(*un);
		snprintf(un->sun_path, sizeof(un->sun_path), "/proc/self/fd/%d", blocking->target);
	}
	int result = connect(blocking->socket, &blocking->address.any, blocking->length) < 0 ? -errno : 0;
	if (result == -ENETUNREACH && blocking->watch->options->relay && blocking->target < 0)
		report_unreachable(blocking->watch, blocking->pid, &blocking->address.whole, blocking->length);
	return result;
}

static bool is_undecided(int socket)
{
	struct tcp_info info;
	socklen_t length = sizeof(info);

	return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 && info.tcpi_state == TCP_SYN_SENT;
}

/* The task does not wait, but the kernel keeps requesting the connection (a full backlog). A later listener at that endpoint
 * would get it. */
static int run_connect_to_listener(struct blocking_call *blocking)
{
	int listens = 0;
	socklen_t length = sizeof(listens);

	/* Another shutdown may have waited for the same connections, and come first. From here on the next shutdown waits for this
	 * connection. */
	if (getsockopt(blocking->listener, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) < 0 || !listens)
		return -ECONNREFUSED;
	int result = run_connect(blocking);
	if (result != -EINPROGRESS || !is_undecided(blocking->socket))
		return result;
	answer(blocking->watch, blocking->id, result);
	while (is_undecided(blocking->socket))
		(void)poll(&(struct pollfd){ .fd = blocking->socket, .events = POLLOUT }, 1, 1000);
	return ANSWERED;
}

static bool is_kept_listening(ino_t inode)
{
	for (const struct blocking_call *blocking = under_way.first; blocking; blocking = blocking->next)
		if (blocking->listener >= 0 && blocking->listening == inode)
			return true;
	return false;
}

static int run_shutdown(struct blocking_call *blocking)
{
	pthread_mutex_lock(&under_way.lock);
	while (is_kept_listening(blocking->inode))
		pthread_cond_wait(&under_way.one_less, &under_way.lock);
	int result = shutdown(blocking->socket, blocking->how) < 0 ? -errno : 0;
	pthread_mutex_unlock(&under_way.lock);
	return result;
}

static void *run_blocking_call(void *argument)
{
	struct blocking_call *blocking = argument;
	/* The identity counts: the peer reads it by SO_PEERCRED, and the mode of a unix socket's file admits only some users. */
	int result = blocking->as_other && assume_identity(&blocking->identity) ? -EACCES : blocking->run(blocking);

	remove_blocking_call(blocking);
	close_all(blocking);
	if (result != ANSWERED)
		answer(blocking->watch, blocking->id, result);
	free(blocking);
	return NULL;
}

static int start_thread(struct blocking_call *blocking)
{
	pthread_t thread;
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	/* A report needs more stack than a call. */
	pthread_attr_setstacksize(&attributes, blocking->watch->options->relay ? 512 * 1024 : 64 * 1024);
	int error = pthread_create(&thread, &attributes, run_blocking_call, blocking);
	pthread_attr_destroy(&attributes);
	return error ? -ENOMEM : 0;
}

static int start_blocking_call(const struct call *call, const struct blocking_call *wanted)
{
	struct blocking_call *blocking = malloc(sizeof(*blocking));
	int error = -ENOMEM;

	if (blocking) {
		*blocking = *wanted;
		blocking->watch = call->watch;
		blocking->id = call->id;
		blocking->pid = call->task.pid;
		error = read_identity(call->task.pid, &blocking->identity) || !still_waits(call) ? -EACCES : 0;
		blocking->as_other = !error && !is_own_identity(&blocking->identity);
	}
	if (!error)
		error = add_blocking_call(blocking) ? 0 : -EAGAIN; /* as from a full backlog */
	if (!error && (error = start_thread(blocking)) < 0)
		remove_blocking_call(blocking);
	if (!error)
		return ANSWERED;
	free(blocking);
	close_all(wanted);
	return error;
}

int connect_on_behalf(const struct call *call, int socket, int target, const struct sockaddr *address, socklen_t length)
{
	struct blocking_call blocking = { .run = run_connect, .socket = socket, .target = target, .listener = -1, .length = length };

	memcpy(&blocking.address, address, length);
	return start_blocking_call(call, &blocking);
}

int connect_to_listener(const struct call *call, int socket, int listener, const struct sockaddr *address,
			socklen_t length)
{
	struct blocking_call blocking = {
		.run = run_connect_to_listener,
		.socket = socket,
		.target = -1,
		.listener = listener,
		.inode = inode_of(socket),
		.listening = inode_of(listener),
		.length = length,
	};

	memcpy(&blocking.address, address, length);
	return start_blocking_call(call, &blocking);
}

bool is_under_way(int socket)
{
	ino_t inode = inode_of(socket);
	bool is = false;

	pthread_mutex_lock(&under_way.lock);
	for (const struct blocking_call *blocking = under_way.first; blocking && !is; blocking = blocking->next)
		is = blocking->listener >= 0 && blocking->inode == inode;
	pthread_mutex_unlock(&under_way.lock);
	return is;
}

int shutdown_on_behalf(const struct call *call, int socket, int how)
{
	struct blocking_call blocking = {
		.run = run_shutdown,
		.socket = socket,
		.target = -1,
		.listener = -1,
		.inode = inode_of(socket),
		.how = how,
	};

	pthread_mutex_lock(&under_way.lock);
	bool waits = is_kept_listening(blocking.inode);
	int result = waits ? 0 : shutdown(socket, how) < 0 ? -errno : 0;
	pthread_mutex_unlock(&under_way.lock);
	if (waits)
		return start_blocking_call(call, &blocking);
	close(socket);
	return result;
}
