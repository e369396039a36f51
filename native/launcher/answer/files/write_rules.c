#define _GNU_SOURCE
#include "answer/files/write_rules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervise/as_task.h"
#include "confine/devices.h"
#include "base/path_list.h"
#include "answer/files/git_repositories.h"
#include "paths/same_name.h"

/* Whether a protected path below does not exist yet. A folder that is moved there could contain it, and so could the target
 * of a link. */
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

/* File systems with their own way to compare names (same_name.h), such as folders of Windows and macOS in WSL and Docker
 * Desktop. */
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
