#define _GNU_SOURCE
#include "hooks.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct timespec started;

void remember_start(void)
{
	clock_gettime(CLOCK_REALTIME_COARSE, &started);
}

enum age { UNKNOWN, OLD, NEW };

/* By the time of birth, which nobody can set. A file system that has none: unknown. */
static enum age age_of(const char *folder)
{
	struct statx info;

	if (statx(AT_FDCWD, folder, AT_SYMLINK_NOFOLLOW, STATX_BTIME | STATX_TYPE, &info) < 0)
		return UNKNOWN;
	if (!(info.stx_mask & STATX_BTIME) || !S_ISDIR(info.stx_mode))
		return UNKNOWN;
	bool earlier = info.stx_btime.tv_sec < started.tv_sec ||
		       (info.stx_btime.tv_sec == started.tv_sec && (long)info.stx_btime.tv_nsec < started.tv_nsec);
	return earlier ? OLD : NEW;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), wanted = strlen(end);

	return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

/* `.git/modules/lib`, and not `.git/modules/lib/refs/heads` with a branch named hooks/x below it. */
static bool is_module(const char *folder)
{
	char head[PATH_MAX];

	return strstr(folder, "/.git/modules/") &&
	       snprintf(head, sizeof(head), "%s/HEAD", folder) < (int)sizeof(head) && access(head, F_OK) == 0;
}

/* Of the git folder whose hooks folder holds `path`; UNKNOWN when there is none. */
static enum age age_of_owner(const char *path)
{
	static const char name[] = "/hooks";
	char folder[PATH_MAX];

	for (const char *at = strstr(path, name); at; at = strstr(at + 1, name)) {
		char after = at[sizeof(name) - 1];
		if (after != '/' && after != '\0')
			continue;
		snprintf(folder, sizeof(folder), "%.*s", (int)(at - path), path);
		if (ends_with(folder, "/.git") || is_module(folder))
			return age_of(folder);
	}
	return UNKNOWN;
}

bool is_hook_of_old(const char *path)
{
	return age_of_owner(path) == OLD;
}

bool is_hook_of_new(const char *path)
{
	return !ends_with(path, ".sample") && !ends_with(path, "/hooks") && age_of_owner(path) == NEW;
}

bool is_old_git_folder(const char *path)
{
	return ends_with(path, "/.git") && age_of(path) == OLD;
}
