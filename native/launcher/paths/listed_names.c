#define _GNU_SOURCE
#include "paths/listed_names.h"

#include <dirent.h>
#include <errno.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

#include "paths/same_name.h"

struct search {
	bool (*visit)(const char *path, void *argument);
	void *argument;
};

/* The first name behind `at` that the folder may list otherwise, or NULL. */
static const char *next_unclear(const char *at, size_t *length)
{
	for (at += strspn(at, "/"); *at; at += *length + strspn(at + *length, "/")) {
		*length = strcspn(at, "/");
		if (is_unclear(at, *length))
			return at;
	}
	return NULL;
}

#ifndef FS_CASEFOLD_FL
#define FS_CASEFOLD_FL 0x40000000
#endif

/* Whether each file of this folder has one name, byte for byte. Only then need the folder not be read, which takes long if it is large.
 * tmpfs has had no such flags for most of its time, and no folding either. */
static bool has_exact_names(int folder)
{
	struct statfs system;
	int flags = 0;

	if (fstatfs(folder, &system) < 0)
		return false;
	switch ((unsigned long)system.f_type) {
	case BTRFS_SUPER_MAGIC:
	case XFS_SUPER_MAGIC: return true; /* XFS can fold ASCII letters, which the patterns do too */
	case EXT4_SUPER_MAGIC:
	case F2FS_SUPER_MAGIC:
	case OVERLAYFS_SUPER_MAGIC: return ioctl(folder, FS_IOC_GETFLAGS, &flags) == 0 && !(flags & FS_CASEFOLD_FL);
	case TMPFS_MAGIC: return ioctl(folder, FS_IOC_GETFLAGS, &flags) == 0 ? !(flags & FS_CASEFOLD_FL) : errno == ENOTTY;
	default: return false;
	}
}

static bool lists(DIR *folder, const char *name, size_t length)
{
	for (struct dirent *entry; (entry = readdir(folder));)
		if (strncmp(entry->d_name, name, length) == 0 && entry->d_name[length] == '\0')
			return true;
	return false;
}

static bool look_behind(const char *path, size_t from, bool changed, const struct search *search);

/* The name is that of `path` from `start` to `end`, and its folder does not list it. */
static bool look_at_listed(DIR *folder, const char *path, size_t start, size_t end, const struct search *search)
{
	bool found = false;
	char *called = strndup(path, end);

	for (struct dirent *entry; called && !found && (entry = readdir(folder));) {
		char *listed, *whole;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    asprintf(&listed, "%.*s%s", (int)start, path, entry->d_name) < 0)
			continue;
		if (is_same_file(called, listed) && asprintf(&whole, "%s%s", listed, path + end) >= 0) {
			found = look_behind(whole, strlen(listed), true, search);
			free(whole);
		}
		free(listed);
	}
	free(called);
	return found;
}

static bool look_behind(const char *path, size_t from, bool changed, const struct search *search)
{
	size_t length;
	const char *name = next_unclear(path + from, &length);

	if (!name)
		return changed && search->visit(path, search->argument);
	const size_t start = (size_t)(name - path);
	char *place = strndup(path, start);
	DIR *folder = place ? opendir(place) : NULL;
	bool as_listed = !folder || has_exact_names(dirfd(folder)) || lists(folder, name, length), found = false;

	if (!as_listed) {
		rewinddir(folder);
		found = look_at_listed(folder, path, start, start + length, search);
	}
	if (folder)
		closedir(folder);
	free(place);
	return as_listed ? look_behind(path, start + length, changed, search) : found;
}

bool visit_listed_names(const char *path, bool (*visit)(const char *path, void *argument), void *argument)
{
	const struct search search = { visit, argument };

	return look_behind(path, 0, false, &search);
}
