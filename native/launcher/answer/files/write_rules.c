#define _GNU_SOURCE
#include "answer/files/write_rules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervise/as_task.h"
#include "confine/devices.h"
#include "base/hash.h"
#include "base/path_list.h"
#include "answer/files/git_repositories.h"
#include "report/report.h"
#include "paths/same_name.h"

/* Is there a protected path below that does not exist yet? A folder that is moved there could contain it, and so could the
 * target of a link. */
static bool holds_absent(const struct options *options, const char *path, bool link)
{
	for (const char *const *absent = options->absent; *absent; absent++) {
		/* A link to the packages of another project is everyday work. ion reports the files that it adds afterwards. */
		if (link && strstr(*absent, "/node_modules/.bin/"))
			continue;
		if (is_within(*absent, path))
			return true;
	}
	return false;
}

bool is_own_config(const struct options *options, const char *path)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/');

	if (!options->nested_config || !slash || strcmp(slash, "/config") != 0)
		return false;
	memcpy(folder, path, (size_t)(slash - path));
	folder[slash - path] = '\0';
	return is_listed(options->git_folders, folder);
}

bool holds_root(const struct options *options, const char *path)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%s", path);
	char *slash = strrchr(folder, '/');
	if (!slash)
		return false;
	*slash = '\0';
	if (!find_root(options->writable, folder))
		return false; /* refused as what is outside */
	for (const char *const *root = options->writable; *root; root++)
		if (is_within(*root, path))
			return true;
	return false;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat one, other;

	return lstat(a, &one) == 0 && lstat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* Is `path` the entry, or below it, in another spelling? For an existing file the file system shows whether it is another
 * file. For a missing one nothing does, so it counts as the same. */
static bool spells_otherwise(const char *path, const char *entry, bool below)
{
	char start[PATH_MAX];
	size_t length;
	enum spelling spelling = spelling_of(path, entry, &length);

	if (spelling == ANOTHER || (path[length] != '\0' && !below))
		return false;
	snprintf(start, sizeof(start), "%.*s", (int)length, path);
	return (spelling == FOLDED && access(entry, F_OK) < 0) || is_same_file(start, entry);
}

/* Folders of Windows and macOS in WSL and Docker Desktop, and other file systems with their own way to compare names
 * (same_name.h). */
static bool is_other_spelling(const struct options *options, const char *path, enum use use)
{
	const char *const *lists[] = { options->readonly, options->absent, options->shadowed, options->watched };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const char *const *entry = lists[i]; *entry; entry++)
			if (spells_otherwise(path, *entry, true))
				return true;
	for (const char *const *entry = options->pinned; use >= NEW && *entry; entry++)
		if (spells_otherwise(path, *entry, false))
			return true;
	return false;
}

const char *refused_by(const struct options *options, const char *path, enum use use, bool arrives)
{
	/* Every process may write /dev/null. Its mode belongs to the whole machine. */
	bool device = use != ATTRIBUTE && use != LINK_ATTRIBUTE &&
		      (find_root(options->devices, path) || is_own_terminal(options, path));
	if (!device && !find_root(options->writable, path))
		return use != READ ? "outside" : find_root(options->readable, path) ? NULL : "unreadable";
	if (use == READ)
		return NULL;
	if (find_root(options->readonly, path) || find_root(options->absent, path) || is_other_spelling(options, path, use))
		return "protected";
	/* Moving or removing a folder that holds protected files. */
	if (use >= NEW && is_listed(options->pinned, path))
		return "protected";
	/* A repository below may be removed as a whole. A rename onto its config is checked (rename_on_behalf.c). */
	enum guard guard = use < ENTRY || arrives ? guard_of(options, path) : UNGUARDED;
	bool brings = arrives || use == NEW_LINK;
	/* A folder of that name is not a config: a submodule may be called `packages/config`. */
	if (guard == HOOK || (guard == CONFIG && !arrives && use != NEW_FOLDER) || (guard == HOLDER && brings))
		return "protected";
	if (brings && holds_absent(options, path, use == NEW_LINK))
		return "protected";
	if (use == ENTRY && !arrives && is_own_config(options, path))
		return "protected";
	return NULL;
}

/* The run can create names faster than ion can check them, and ion keeps each one. Beyond a limit the launcher only reports that
 * there are more. */
#define TOUCHED_MAX 4096
static char *touched[TOUCHED_MAX];
static size_t touched_count;
static bool more_touched;

/* Remembers paths by their hash. Two paths with the same hash are reported as one. */
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

static void report_new(int control, const char *path)
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

void report_bare(const struct call *call, const char *path)
{
	report_new(call->watch->control, path);
}

void report_moved(const struct call *call, const char *from, const char *to)
{
	const size_t length = strlen(from), count = touched_count;
	char path[PATH_MAX];

	for (size_t i = 0; i < count; i++)
		if (is_within(touched[i], from) && snprintf(path, sizeof(path), "%s%s", to, touched[i] + length) < (int)sizeof(path))
			report_new(call->watch->control, path);
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

void report_change(const struct call *call, const char *path, enum use use)
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
	char new[PATH_MAX];
	if (must_be_reported(path, new))
		report_new(call->watch->control, new);
}

struct question {
	const char *path;
	bool exists;
	enum use use;
};

static bool could(const struct question *question)
{
	char folder[PATH_MAX];
	const bool attribute = question->use == ATTRIBUTE || question->use == LINK_ATTRIBUTE;

	if (question->exists && attribute) {
		struct stat info;
		if (geteuid() == 0 || (lstat(question->path, &info) == 0 && info.st_uid == geteuid()))
			return true;
	}
	if (question->exists && question->use < NEW)
		return faccessat(AT_FDCWD, question->path, question->use == READ ? R_OK : W_OK, AT_EACCESS) == 0;
	strcpy(folder, question->path);
	char *slash = strrchr(folder, '/');
	if (!slash)
		return false;
	*(slash == folder ? slash + 1 : slash) = '\0';
	return faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) == 0;
}

static int ask(void *argument)
{
	return could(argument) ? 0 : errno ? -errno : -EACCES;
}

bool user_could(const struct call *call, const char *path, bool exists, enum use use)
{
	struct question question = { path, exists, use };
	int error = as_task(call, ask, &question);

	errno = -error; /* of another thread, if it was one */
	return error == 0;
}
