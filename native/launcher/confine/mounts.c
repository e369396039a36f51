#define _GNU_SOURCE
#include "confine/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kernel_abi.h"
#include "confine/inside.h"
#include "confine/mount_steps.h"
#include "confine/noexec.h"
#include "confine/own_proc.h"
#include "confine/ownerless.h"
#include "confine/view.h"

static int pin_once(const char *path, bool readonly)
{
	int fd = open_path(path);
	if (fd < 0)
		return fd;
	int tree = copy_tree(fd);
	int error = tree < 0 ? tree : attach(tree, fd);
	if (!error && readonly)
		error = add_attributes(tree, ION_MOUNT_ATTR_RDONLY, true);
	if (tree >= 0)
		close(tree);
	close(fd);
	return error;
}

/* Mount `path` onto itself, so that it can neither be renamed nor removed (EBUSY), read-only if asked. */
static int pin(const char *path, bool readonly)
{
	int error = -ENOENT;

	for (int look = 0; look < LOOKS && error == -ENOENT; look++)
		error = pin_once(path, readonly);
	return error;
}

/* A folder and a file, empty and closed, in a file system of our own. Their copies replace masked paths. */
static int make_blank(void)
{
	int blank = make_tmpfs();
	if (blank < 0)
		return blank;
	int file = openat(blank, "file", O_CREAT | O_WRONLY | O_CLOEXEC, 0);
	int error = file < 0 || mkdirat(blank, "folder", 0) < 0 ? -errno : 0;
	if (file >= 0)
		close(file);
	if (error)
		close(blank);
	return error ? error : blank;
}

/* Before Linux 6.15 a part of a mount can be copied only where the mount is attached (EINVAL). No path leads to it on top of
 * the root: the root of a process is below. */
static int attach_blank(int blank)
{
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	int error = attach(blank, root);
	close(root);
	return error;
}

/* Uses the process's current folder, because a path leads to the mount below. */
static int detach_blank(int blank)
{
	if (fchdir(blank) < 0 || umount2(".", MNT_DETACH) < 0)
		return -errno;
	return 0;
}

static int mask_from(int blank, const char *path)
{
	struct stat info;
	int onto = open_path(path);

	if (onto == -ENOENT)
		return 0; /* gone since ion looked: nothing to hide */
	if (onto < 0)
		return onto;
	int error = fstat(onto, &info) < 0 ? -errno : 0;
	int source = error ? -1 : openat(blank, S_ISDIR(info.st_mode) ? "folder" : "file", O_PATH | O_CLOEXEC);
	int tree = source < 0 ? -errno : copy_tree(source);
	if (!error)
		error = tree < 0 ? tree : attach(tree, onto);
	if (!error)
		error = add_attributes(tree, ION_MOUNT_ATTR_RDONLY, false);
	if (tree >= 0)
		close(tree);
	if (source >= 0)
		close(source);
	close(onto);
	return error;
}

static int mask_all(const char *const *masked, const char **path)
{
	if (!masked[0])
		return 0;
	*path = "/";
	int blank = make_blank();
	if (blank < 0)
		return blank;
	int error = attach_blank(blank);
	for (size_t i = 0; masked[i] && !error; i++)
		error = mask_from(blank, *path = masked[i]);
	if (!error) {
		*path = "/";
		error = detach_blank(blank);
	}
	close(blank);
	return error;
}

static size_t length_of(const char *const *list)
{
	size_t length = 0;

	while (list[length])
		length++;
	return length;
}

/* The exceptions are copied first, and mounted again on top. */
static int take_owners(const struct options *options, const char **path)
{
	size_t count = length_of(options->owned);
	int *trees = calloc(count + 1, sizeof(int));
	int error = trees ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++) {
		trees[i] = copy_tree_at(*path = options->owned[i]);
		if (trees[i] < 0 && trees[i] != -ENOENT) /* gone since ion looked */
			error = trees[i];
	}
	for (size_t i = 0; options->ownerless[i] && !error; i++)
		error = mount_ownerless(*path = options->ownerless[i]);
	for (size_t i = 0; i < count && !error; i++) {
		if (trees[i] < 0)
			continue;
		error = attach_at(trees[i], *path = options->owned[i]);
		if (error == -ENOENT)
			error = 0;
	}
	for (size_t i = 0; trees && i < count; i++)
		if (trees[i] > 0)
			close(trees[i]);
	free(trees);
	return error;
}

/* Writable copies are made while everything is writable, and mounted over the read-only tree. So no mount must become writable
 * again: a user namespace could refuse that. */
static int make_read_only_but(const struct options *options, const char **path)
{
	const char *const *writable = options->writable;
	size_t count = length_of(writable);
	int *trees = calloc(count + 1, sizeof(int));
	int error = trees ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++) {
		*path = writable[i];
		trees[i] = copy_tree_at(writable[i]);
		error = trees[i] < 0 ? trees[i] : 0;
	}
	if (!error)
		error = take_owners(options, path);
	if (!error) {
		*path = "/";
		int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		error = root < 0 ? -errno : add_attributes(root, ION_MOUNT_ATTR_RDONLY, true);
		if (root >= 0)
			close(root);
	}
	for (size_t i = 0; i < count && !error; i++) {
		*path = writable[i];
		error = attach_at(trees[i], writable[i]);
	}
	for (size_t i = 0; trees && i < count; i++)
		if (trees[i] > 0)
			close(trees[i]);
	free(trees);
	return error;
}

/* The private copies, made while they are writable. They stay writable, because only ion reads them. */
static int take_shadows(const char *const *shadows, int *trees, const char **path)
{
	for (size_t i = 0; shadows[i]; i++) {
		trees[i] = copy_tree_at(*path = shadows[i]);
		if (trees[i] < 0)
			return trees[i];
	}
	return 0;
}

int arrange_mounts(const struct options *options, const char **path)
{
	/* These mounts must not show outside, and no mount from outside may appear inside: it would not be read-only. */
	*path = "/";
	int error = mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ? -errno : 0;
	if (!error && options->own_processes) {
		*path = "/proc";
		/* For root it becomes read-only later, with all other mounts: the owners of /etc are mapped through it first
		 * (ownerless.c). */
		error = mount_own_proc(options->user_namespace);
	}
	int *shadows = calloc(length_of(options->shadows) + 1, sizeof(int));
	if (!error)
		error = shadows ? take_shadows(options->shadows, shadows, path) : -ENOMEM;
	if (!error)
		error = options->view ? enter_view(options, path) : make_read_only_but(options, path);
	for (size_t i = 0; options->pinned[i] && !error; i++)
		error = pin(*path = options->pinned[i], false);
	for (size_t i = 0; options->readonly[i] && !error; i++)
		error = pin(*path = options->readonly[i], true);
	for (size_t i = 0; options->shadowed[i] && !error; i++)
		error = attach_at(shadows[i], *path = options->shadowed[i]);
	for (size_t i = 0; shadows && options->shadows[i]; i++)
		if (shadows[i] > 0)
			close(shadows[i]);
	free(shadows);
	if (!error)
		error = mask_all(options->masked, path);
	if (!error)
		error = arrange_execution(options, path);
	if (!error && options->inside)
		error = mount_inside(options);
	/* The process's current folder is still on the old mount. */
	if (!error && chdir(*path = options->cwd) < 0)
		error = -errno;
	return error;
}
