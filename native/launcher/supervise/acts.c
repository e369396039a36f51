#define _GNU_SOURCE
#include "supervise/acts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t acting = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint count; /* odd while a change is made */
static _Thread_local unsigned seen;

void begin_look(void)
{
	while ((seen = atomic_load(&count)) & 1) {
		pthread_mutex_lock(&acting);
		pthread_mutex_unlock(&acting);
	}
}

bool look_is_stale(void)
{
	return atomic_load(&count) != seen;
}

bool begin_act(void)
{
	pthread_mutex_lock(&acting);
	if (look_is_stale()) {
		pthread_mutex_unlock(&acting);
		return false;
	}
	atomic_fetch_add(&count, 1);
	return true;
}

/* A change by this thread does not make its own look stale. */
void end_act(void)
{
	seen = atomic_fetch_add(&count, 1) + 1;
	pthread_mutex_unlock(&acting);
}

void stop_acts(unsigned limit_ms)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += limit_ms / 1000;
	until.tv_nsec += (long)(limit_ms % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	/* The lock is never released. */
	(void)pthread_mutex_timedlock(&acting, &until);
}
