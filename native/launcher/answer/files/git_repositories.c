#define _GNU_SOURCE
#include "answer/files/git_repositories.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path_list.h"
#include "answer/files/made_files.h"
#include "paths/same_name.h"

static const char *const none[] = { NULL };

/* Ignores case, here and below: some file systems do (same_name.h). */
static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), wanted = strlen(end);

	return length >= wanted && strcasecmp(text + length - wanted, end) == 0;
}

/* `.git`, in any spelling. */
static bool is_called_git(const char *path)
{
	const char *slash = strrchr(path, '/');
	char entry[PATH_MAX];

	if (!slash || ends_with(path, "/.git"))
		return slash;
	return (folds_alike(slash + 1, ".git") || is_unclear(slash + 1, strlen(slash + 1))) &&
	       snprintf(entry, sizeof(entry), "%.*s/.git", (int)(slash - path), path) < (int)sizeof(entry) && is_same_file(path, entry);
}

static bool has(const char *folder, const char *name)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/%s", folder, name) < (int)sizeof(path) && access(path, F_OK) == 0;
}

/* Whether this name in `folder/rest` belongs to the repository `folder/...` before it. The user chooses the names of its refs,
 * logs and objects. A submodule can have such a name too, with no repository before it. */
static bool lies_in_contents(const char *path, const char *rest)
{
	static const char *const contents[] = { "refs", "logs", "objects", NULL };
	char before[PATH_MAX];

	for (const char *at = rest; *at; at += strspn(at, "/")) {
		size_t length = strcspn(at, "/");
		for (const char *const *name = contents; *name; name++) {
			if (at == rest || strlen(*name) != length || strncmp(at, *name, length) != 0)
				continue;
			snprintf(before, sizeof(before), "%.*s", (int)(at - path - 1), path);
			if (has(before, "config"))
				return true;
		}
		at += length;
	}
	return false;
}

/* `.git/modules/<name>`, which may contain slashes, and `.git/worktrees/<name>`. The location decides, even if files were removed
 * from it. */
static bool is_inner_git_folder(const char *folder)
{
	for (const char *at = folder; (at = strcasestr(at, "/.git/")); at++) {
		const char *name = at + strlen("/.git/");
		if (strncasecmp(name, "modules/", 8) == 0 && !lies_in_contents(folder, name + 8))
			return true;
		if (strncasecmp(name, "worktrees/", 10) == 0 && !strchr(name + 10, '/'))
			return true;
	}
	return false;
}

/* `.git`, git folders in it, and a bare repository. Not `.git/refs/heads` with a branch named hooks/x below it. */
static bool is_git_folder(const char *folder)
{
	return ends_with(folder, "/.git") || is_inner_git_folder(folder) ||
	       (has(folder, "HEAD") && (has(folder, "objects") || has(folder, "commondir")));
}

/* Below a git folder. `below`: everything below the name as well. */
static const struct {
	const char *name;
	bool below;
	enum guard guard;
} names[] = {
	{ "/hooks", true, HOOK },	      { "/config", false, CONFIG },    { "/config.worktree", false, CONFIG },
	{ "/info/attributes", false, HOOK },  { "/commondir", false, HOOK },   { "/info", false, HOLDER },
};

/* Whether the name at `at` is `name` in another spelling, not only in other case, which the file system of `folder` may treat as
 * the same. */
static bool is_spelled(const char *folder, size_t length, const char *at, const char *name, bool below)
{
	char entry[PATH_MAX];
	size_t bytes;

	return spelling_of(at, name, &bytes) != ANOTHER &&
	       snprintf(entry, sizeof(entry), "%.*s%s", (int)length, folder, name) < (int)sizeof(entry) &&
	       spells_otherwise(folder, entry, below);
}

/* The table's entry for the name that starts at this slash of `path`. */
static enum guard guard_at(const char *path, const char *at)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if ((at[1] | 0x20) != names[i].name[1] && (unsigned char)at[1] < 0x80)
			continue;
		size_t length = strlen(names[i].name);
		if (strncasecmp(at, names[i].name, length) == 0 && (at[length] == '\0' || (names[i].below && at[length] == '/')))
			return names[i].guard;
		if (is_spelled(path, (size_t)(at - path), at, names[i].name, names[i].below))
			return names[i].guard;
	}
	return UNGUARDED;
}

/* `.git/modules/lib/hooks` is a git folder if it has a config. The run cannot create one in the hooks of an existing
 * repository. */
static bool is_submodule_called_hooks(const char *path, const char *at)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%.*s/hooks", (int)(at - path), path);
	return is_within(path, folder) && is_inner_git_folder(folder) && has(folder, "config");
}

/* Writes to `folder` a git folder of this age that holds `path` under a name of the table, and is not one of `others`. There
 * can be several: a repository that was moved into the hooks of another one is still a repository. */
static enum guard find_owner(const char *path, enum age age, const char *const *others, char folder[PATH_MAX])
{
	for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
		enum guard guard = guard_at(path, at);
		if (guard == UNGUARDED)
			continue;
		if (is_submodule_called_hooks(path, at))
			continue;
		snprintf(folder, PATH_MAX, "%.*s", (int)(at - path), path);
		if (is_git_folder(folder) && !is_listed(others, folder) && age_of(folder, S_IFDIR) == age)
			return guard;
	}
	return UNGUARDED;
}

enum guard guard_of(const struct options *options, const char *path)
{
	char folder[PATH_MAX];

	/* A `.git` that is a file leads to the git folder. */
	if (options->nested_config && is_called_git(path) && age_of(path, S_IFREG) == WAS_THERE)
		return HOOK;
	enum guard guard = find_owner(path, WAS_THERE, options->git_folders, folder);
	if (guard == UNGUARDED)
		return UNGUARDED;
	return (strstr(path + strlen(folder), "/hooks") ? options->nested_hooks : options->nested_config) ? guard : UNGUARDED;
}

/* This name completes a git folder. The files that git obeys in it may be older. */
static bool completes(const char *path, const char *name, const char *folder)
{
	if (access(path, F_OK) == 0)
		return false;
	if (folds_alike(name, "HEAD"))
		return true;
	return (folds_alike(name, "objects") || folds_alike(name, "commondir")) && has(folder, "HEAD");
}

bool must_be_reported(const char *path, char *reported)
{
	char folder[PATH_MAX];
	const char *name = strrchr(path, '/') + 1;

	snprintf(folder, sizeof(folder), "%.*s", (int)(name - path - 1), path);
	snprintf(reported, PATH_MAX, "%s", path);
	if (folds_alike(name, ".git"))
		return true;
	if (completes(path, name, folder))
		return snprintf(reported, PATH_MAX, "%.*s/HEAD", PATH_MAX - 8, folder) > 0;
	if (ends_with(path, ".sample") || ends_with(path, "/hooks") || ends_with(path, "/info"))
		return false;
	return find_owner(path, MADE, none, folder) != UNGUARDED;
}

/* Whether `path` is at `inner` (`/.git/...`) of a repository that existed before the run, or whose git folder is one of `known`. */
static bool has_old_owner(const char *path, const char *inner, const char *const *known)
{
	char folder[PATH_MAX];

	for (const char *at = path; (at = strstr(at, inner)); at++) {
		snprintf(folder, sizeof(folder), "%.*s/.git", (int)(at - path), path);
		if (is_listed(known, folder) || age_of(folder, S_IFDIR) == WAS_THERE)
			return true;
	}
	return false;
}

bool is_for_submodules(const struct options *options, const char *path)
{
	return is_inner_git_folder(path) && has_old_owner(path, "/.git/modules/", options->git_folders);
}

bool is_part_of_old_git_folder(const char *path)
{
	static const char *const parts[] = { "HEAD", "objects", "refs", "commondir" };
	char folder[PATH_MAX];
	const char *name = strrchr(path, '/') + 1;
	bool is_part = false;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		is_part |= folds_alike(name, parts[i]);
	snprintf(folder, sizeof(folder), "%.*s", (int)(name - path - 1), path);
	return is_part && is_git_folder(folder) && age_of(folder, S_IFDIR) == WAS_THERE;
}

bool is_old_git_folder(const char *path)
{
	if (is_called_git(path))
		return age_of(path, S_IFDIR) == WAS_THERE;
	if (!ends_with(path, "/.git/modules") && !ends_with(path, "/.git/worktrees") && !is_inner_git_folder(path))
		return false;
	/* Its own age proves little: a new folder can hold an old one. */
	return has_old_owner(path, "/.git/", none);
}
