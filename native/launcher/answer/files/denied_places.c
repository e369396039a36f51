#define _GNU_SOURCE
#include "answer/files/denied_places.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/path_list.h"
#include "paths/resolve.h"

#define KEPT_MS 5

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

/* One for each of `options->denied`: where its place is by a link, or NULL. */
static char **places;
static atomic_uint led_elsewhere;
static uint64_t looked_at; /* CLOCK_MONOTONIC milliseconds */
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

void look_at_places(const struct call *call)
{
	if (!call->watch->options->denied[0] || pthread_mutex_trylock(&lock))
		return;
	if (milliseconds(CLOCK_MONOTONIC) >= looked_at + KEPT_MS) {
		look_at_all(call);
		looked_at = milliseconds(CLOCK_MONOTONIC);
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
