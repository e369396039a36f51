#define _GNU_SOURCE
#include "supervise/answerers.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "answer/exec/room.h"
#include "base/clock.h"

#define ANSWERERS_MAX 64
#define STACK_BYTES (1u << 20) /* touched as far as it is used */
#define CHECK_MS 100
#define IDLE_MS 1000 /* between two checks at most, while no call is asked about */

struct answerer {
	struct exec_room *room;
	atomic_uint calls; /* odd while one is answered */
	unsigned seen;     /* at the last check */
};

static struct {
	const struct watch *watch;
	struct answerer threads[ANSWERERS_MAX];
	size_t count;
	atomic_int error; /* the listener is broken */
	uint64_t check_at;
	unsigned wait_ms;
} answering;

static bool is_unused(int listener)
{
	struct pollfd wait = { .fd = listener };

	return poll(&wait, 1, 0) > 0 && wait.revents & (POLLHUP | POLLNVAL);
}

static void *answer_calls(void *argument)
{
	struct answerer *self = argument;
	struct seccomp_notif notification;
	int error = 0;

	while (!error) {
		error = receive_notification(answering.watch, &notification);
		if (error == -EAGAIN) {
			error = is_unused(answering.watch->listener) ? -ENOENT : 0;
			continue;
		}
		if (error)
			break;
		atomic_fetch_add(&self->calls, 1);
		answer_notification(answering.watch, &notification, self->room);
		atomic_fetch_add(&self->calls, 1);
	}
	if (error != -ENOENT)
		atomic_store(&answering.error, error);
	return NULL;
}

static int start_answerer(struct exec_room *room)
{
	struct answerer *self = &answering.threads[answering.count];
	pthread_attr_t attributes;
	pthread_t thread;

	if (!room)
		return -ENOMEM;
	self->room = room;
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	int error = pthread_create(&thread, &attributes, answer_calls, self);
	pthread_attr_destroy(&attributes);
	answering.count += error == 0;
	return -error;
}

int start_answering(const struct watch *watch)
{
	static struct exec_room room;

	answering.watch = watch;
	answering.wait_ms = CHECK_MS;
	answering.check_at = milliseconds(CLOCK_MONOTONIC) + CHECK_MS;
	return start_answerer(&room);
}

/* Doubles their number each time: a command with many threads can cause many looks that do not return. */
static void start_more(void)
{
	for (size_t more = answering.count; more > 0 && answering.count < ANSWERERS_MAX; more--) {
		struct exec_room *room = malloc(sizeof(*room));
		if (start_answerer(room) == 0)
			continue;
		free(room);
		return;
	}
}

int check_answers(void)
{
	const uint64_t now = milliseconds(CLOCK_MONOTONIC);
	bool idle = true, stuck = true;

	if (answering.count == 0 || now < answering.check_at)
		return atomic_load(&answering.error);
	for (size_t i = 0; i < answering.count; i++) {
		struct answerer *thread = &answering.threads[i];
		unsigned calls = atomic_load(&thread->calls);
		idle = idle && calls == thread->seen && !(calls & 1);
		stuck = stuck && calls == thread->seen && (calls & 1);
		thread->seen = calls;
	}
	if (stuck)
		start_more();
	answering.wait_ms = !idle ? CHECK_MS : 2 * answering.wait_ms < IDLE_MS ? 2 * answering.wait_ms : IDLE_MS;
	answering.check_at = now + answering.wait_ms;
	return atomic_load(&answering.error);
}

int answers_due_in(void)
{
	const uint64_t now = milliseconds(CLOCK_MONOTONIC);

	if (answering.count == 0)
		return -1;
	return now < answering.check_at ? (int)(answering.check_at - now) : 0;
}
