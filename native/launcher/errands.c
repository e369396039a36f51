#define _GNU_SOURCE
#include "errands.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/un.h>
#include <unistd.h>

/* A connection made on the caller's behalf: the socket and the address that were checked are what is connected, whatever
 * another thread does to the descriptor, the path or the memory. It may block (a full backlog, a slow peer), so it has a
 * thread. */
struct errand {
	const struct watch *watch;
	uint64_t id;
	int socket, target; /* target: O_PATH of a unix socket, or -1 */
	union {
		struct sockaddr any;
		struct sockaddr_un un;
		struct sockaddr_storage room;
	} address;
	socklen_t length;
};

/* Those under way. Each holds two descriptors, and a peer that never accepts holds it for good: the supervisor keeps enough of
 * them to look at other calls and to find the tree that it has to end. */
static atomic_int errands;
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

static void *run_errand(void *argument)
{
	struct errand *errand = argument;

	if (errand->target >= 0) {
		struct sockaddr_un *un = &errand->address.un;
		errand->length = sizeof(*un);
		snprintf(un->sun_path, sizeof(un->sun_path), "/proc/self/fd/%d", errand->target);
	}
	int result = connect(errand->socket, &errand->address.any, errand->length) < 0 ? -errno : 0;
	close(errand->socket);
	if (errand->target >= 0)
		close(errand->target);
	atomic_fetch_sub(&errands, 1);
	answer(errand->watch, errand->id, result);
	free(errand);
	return NULL;
}

int connect_on_behalf(const struct call *call, int socket, int target, const struct sockaddr *address, socklen_t length)
{
	bool room = atomic_fetch_add(&errands, 1) < errands_allowed();
	struct errand *errand = room ? malloc(sizeof(*errand)) : NULL;
	pthread_t thread;
	pthread_attr_t attributes;

	if (errand) {
		*errand = (struct errand){ .watch = call->watch, .id = call->id, .socket = socket, .target = target, .length = length };
		memcpy(&errand->address, address, length);
		pthread_attr_init(&attributes);
		pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
		pthread_attr_setstacksize(&attributes, 64 * 1024);
		int error = pthread_create(&thread, &attributes, run_errand, errand);
		pthread_attr_destroy(&attributes);
		if (!error)
			return ANSWERED;
	}
	atomic_fetch_sub(&errands, 1);
	free(errand);
	close(socket);
	if (target >= 0)
		close(target);
	return room ? -ENOMEM : -EAGAIN; /* as from a full backlog */
}
