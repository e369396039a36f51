#define _GNU_SOURCE
#include "answer/files/denied_places.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/path_list.h"
#include "paths/resolve.h"

/* Between two looks: at least so long, and so many times as long as a look took. Then many entries cost no more than 0.5 % of a
 * processor. */
#define KEPT_MS 5
#define KEPT_TIMES 200

bool is_place(const char *pattern, char *place)
{
	size_t length = 0;

	for (; *pattern && strcmp(pattern, "/**") != 0 && length < PATH_MAX - 1; pattern++) {
		if (strchr("*?[", *pattern))
			return false;
		if (*pattern == '\\' && pattern[1])
			pattern++;
		place[length++] = *pattern;
	}
	place[length] = '\0';
	return *pattern == '\0' || strcmp(pattern, "/**") == 0;
}

/* For each of `options->denied`: its place, if a link leads elsewhere, or NULL. */
static char **places;
static atomic_uint led_elsewhere;
static uint64_t look_at_next; /* CLOCK_MONOTONIC milliseconds */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static char *look_at(const struct task *task, const char *pattern)
{
	char place[PATH_MAX], now[PATH_MAX];

	if (!is_place(pattern, place))
		return NULL;
	int fd = resolve(task, AT_FDCWD, place, FOLLOW, now);
	if (fd >= 0)
		close(fd);
	return (fd >= 0 || fd == -ENOENT) && now[0] && strcmp(now, place) != 0 ? strdup(now) : NULL;
}

static void look_at_all(const struct call *call)
{
	const char *const *denied = call->watch->options->denied;
	unsigned count = 0, elsewhere = 0;

	while (denied[count])
		count++;
	if (!places && !(places = calloc(count + 1, sizeof(*places))))
		return;
	for (unsigned i = 0; i < count; i++) {
		free(places[i]);
		places[i] = look_at(&call->task, denied[i]);
		elsewhere += places[i] != NULL;
	}
	atomic_store(&led_elsewhere, elsewhere);
}

/* Of this thread. */
static uint64_t processor_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

void look_at_places(const struct call *call)
{
	if (!call->watch->options->denied[0] || pthread_mutex_trylock(&lock))
		return;
	if (milliseconds(CLOCK_MONOTONIC) >= look_at_next) {
		const uint64_t begun = processor_us();
		look_at_all(call);
		const uint64_t pause = KEPT_TIMES * (processor_us() - begun) / 1000;
		look_at_next = milliseconds(CLOCK_MONOTONIC) + (pause > KEPT_MS ? pause : KEPT_MS);
	}
	pthread_mutex_unlock(&lock);
}

const char *place_by_link(const struct options *options, const char *path)
{
	const char *entry = NULL;

	if (atomic_load(&led_elsewhere) == 0)
		return NULL;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; !entry && options->denied[i]; i++)
		if (places[i] && is_within(path, places[i]))
			entry = options->denied_entries[i];
	pthread_mutex_unlock(&lock);
	return entry;
}

const char *place_below(const struct options *options, const char *path)
{
	char place[PATH_MAX];

	for (size_t i = 0; options->denied[i]; i++)
		if (is_place(options->denied[i], place) && strcmp(place, path) != 0 && is_within(place, path))
			return options->denied_entries[i];
	return NULL;
}
