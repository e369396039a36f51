#define _GNU_SOURCE
#include "answer/files/changes.h"

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer/files/git_repositories.h"
#include "base/hash.h"
#include "base/path_list.h"
#include "report/report.h"

/* The run can create names faster than ion can check them, and ion remembers each one. Beyond a limit ion only hears that there are
 * more. */
#define TOUCHED_MAX 4096
static char *touched[TOUCHED_MAX];
static size_t touched_count;
static bool more_touched;

/* Guards everything that this file remembers. No thread looks at a file while it holds the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* By hash: if two collide, only one is reported. */
static bool is_first_time(const char *path)
{
	static uint64_t seen[2 * TOUCHED_MAX];
	uint64_t hash = hash_text(hash_key(), path);

	for (size_t i = 0; i < 8; i++) {
		uint64_t *slot = &seen[(hash + i) % (sizeof(seen) / sizeof(seen[0]))];
		if (*slot == hash)
			return false;
		if (!*slot) {
			*slot = hash;
			return true;
		}
	}
	return true;
}

static void report_locked(int control, const char *path)
{
	if (more_touched || !is_first_time(path))
		return;
	char *copy = touched_count < TOUCHED_MAX ? strdup(path) : NULL;
	if (copy && report_touched(control, path)) {
		touched[touched_count++] = copy;
		return;
	}
	free(copy);
	more_touched = true;
	report_more_touched(control, path);
}

static void report_new(int control, const char *path)
{
	pthread_mutex_lock(&lock);
	report_locked(control, path);
	pthread_mutex_unlock(&lock);
}

void report_bare(const struct call *call, const char *path)
{
	report_new(call->watch->control, path);
}

void report_moved(const struct call *call, const char *from, const char *to)
{
	const size_t length = strlen(from);
	char path[PATH_MAX];

	pthread_mutex_lock(&lock);
	for (size_t i = 0, count = touched_count; i < count; i++)
		if (is_within(touched[i], from) && snprintf(path, sizeof(path), "%s%s", to, touched[i] + length) < (int)sizeof(path))
			report_locked(call->watch->control, path);
	pthread_mutex_unlock(&lock);
	/* A repository that is moved to a submodule's place, where git outside runs itself in it. By this name ion can
	 * distinguish it from a `.git` that was added directly (obeyed.ts). */
	if (snprintf(path, sizeof(path), "%s/.git", from) < (int)sizeof(path) && access(path, F_OK) == 0 &&
	    snprintf(path, sizeof(path), "%s/.git/index", to) < (int)sizeof(path))
		report_new(call->watch->control, path);
}

/* One flag for each entry of `watched`. There may be any number of entries. */
static bool *reported_watched(const char *const *watched)
{
	static bool *reported;
	size_t count = 0;

	while (!reported && watched[count])
		count++;
	if (!reported)
		reported = calloc(count + 1, sizeof(*reported));
	return reported;
}

static void report_listed(const struct call *call, const char *path, enum use use)
{
	const char **watched = call->watch->options->watched;
	bool *reported = reported_watched(watched);

	for (size_t i = 0; watched[i]; i++) {
		if ((reported && reported[i]) || !(is_within(path, watched[i]) || (use == ENTRY && is_within(watched[i], path))))
			continue;
		if (reported)
			reported[i] = true;
		report_watched(call->watch->control, watched[i]);
	}
}

void report_change(const struct call *call, const char *path, enum use use)
{
	char new[PATH_MAX];

	pthread_mutex_lock(&lock);
	report_listed(call, path, use);
	pthread_mutex_unlock(&lock);
	if (must_be_reported(path, new))
		report_new(call->watch->control, new);
}
