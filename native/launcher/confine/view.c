#define _GNU_SOURCE
#include "confine/view.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kernel_abi.h"
#include "confine/devices.h"
#include "base/path_list.h"
#include "confine/mount_steps.h"

struct view {
	int fd;
	dev_t device; /* the tmpfs: no file is ever created anywhere else; 0 where "/" itself is a root */
};

struct trees {
	const char *const *paths;
	int *list; /* -ENOENT: gone since ion looked */
	size_t count;
};

static int take_trees(const char *const *paths, struct trees *trees, const char **path)
{
	while (paths[trees->count])
		trees->count++;
	trees->paths = paths;
	trees->list = calloc(trees->count + 1, sizeof(int));
	if (!trees->list)
		return -ENOMEM;
	for (size_t i = 0; i < trees->count; i++)
		trees->list[i] = -ENOENT;
	for (size_t i = 0; i < trees->count; i++) {
		trees->list[i] = copy_tree_at(*path = paths[i]);
		if (trees->list[i] < 0 && trees->list[i] != -ENOENT)
			return trees->list[i];
	}
	return 0;
}

static void close_trees(struct trees *trees)
{
	for (size_t i = 0; trees->list && i < trees->count; i++)
		if (trees->list[i] >= 0)
			close(trees->list[i]);
	free(trees->list);
}

static bool is_own(const struct view *view, int folder)
{
	struct stat info;

	return fstat(folder, &info) == 0 && info.st_dev == view->device;
}

static int open_name(int folder, const char *name, int flags)
{
	return openat(folder, name, flags | O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

/* The folder `name` of `parent`, created if missing. Takes `parent`. */
static int step_into(const struct view *view, int parent, const char *name)
{
	int fd = open_name(parent, name, O_DIRECTORY);

	if (fd < 0 && errno == ENOENT && is_own(view, parent))
		fd = mkdirat(parent, name, 0755) < 0 ? -1 : open_name(parent, name, O_DIRECTORY);
	int error = fd < 0 ? -errno : fd;
	close(parent);
	return error;
}

/* The folder of `path` in the view, with `*last` the rest of the path. */
static int folder_of(const struct view *view, const char *path, const char **last)
{
	char name[NAME_MAX + 1];
	int folder = fcntl(view->fd, F_DUPFD_CLOEXEC, 3);

	if (folder < 0)
		return -errno;
	for (path += strspn(path, "/"); strchr(path, '/'); path += strcspn(path, "/"), path += strspn(path, "/")) {
		size_t length = strcspn(path, "/");
		if (length > NAME_MAX) {
			close(folder);
			return -ENAMETOOLONG;
		}
		memcpy(name, path, length);
		name[length] = '\0';
		if ((folder = step_into(view, folder, name)) < 0)
			return folder;
	}
	*last = path;
	return folder;
}

/* Creates a mount point of the type of `tree` (file or folder) at `path` in the view. Returns a descriptor. */
static int make_place(const struct view *view, const char *path, int tree)
{
	struct stat info;
	const char *last;
	int folder = folder_of(view, path, &last);

	if (folder < 0)
		return folder;
	int error = fstat(tree, &info) < 0 ? -errno : 0;
	int place = error ? -1 : open_name(folder, last, 0);
	if (!error && place < 0 && errno == ENOENT && is_own(view, folder)) {
		int made = S_ISDIR(info.st_mode) ? mkdirat(folder, last, 0755) : mknodat(folder, last, S_IFREG | 0444, 0);
		place = made < 0 ? -1 : open_name(folder, last, 0);
	}
	if (!error && place < 0)
		error = -errno;
	close(folder);
	return error ? error : place;
}

static int place_tree(const struct view *view, const char *path, int tree, bool attaches)
{
	int place = make_place(view, path, tree);
	if (place < 0)
		return place;
	int error = attaches ? attach(tree, place) : 0;
	close(place);
	return error;
}

static int place_links(const struct view *view, const struct options *options, const char **path)
{
	for (size_t i = 0; options->view_links[i]; i++) {
		const char *last;
		int folder = folder_of(view, *path = options->view_links[i], &last);
		if (folder < 0)
			return folder;
		int error = 0;
		if (is_own(view, folder) && symlinkat(options->view_targets[i], folder, last) < 0 && errno != EEXIST)
			error = -errno;
		close(folder);
		if (error)
			return error;
	}
	return 0;
}

/* For ttyname(3); see devices.c. */
static int place_console(const struct view *view, const struct options *options)
{
	const char *last;

	if (!is_own_terminal(options, "/dev/console"))
		return 0;
	int folder = folder_of(view, "/dev/console", &last);
	if (folder < 0)
		return folder;
	int error = 0;
	if (is_own(view, folder) && mknodat(folder, last, S_IFREG | 0444, 0) < 0 && errno != EEXIST)
		error = -errno;
	close(folder);
	return error;
}

/* The read roots, and mount points for the write roots. Below a read root they exist already. */
static int fill(const struct view *view, const struct options *options, const struct trees *read, const struct trees *written, const char **path)
{
	int error = 0;

	for (size_t i = 0; i < read->count && !error; i++)
		if (read->list[i] >= 0)
			error = place_tree(view, *path = read->paths[i], read->list[i], true);
	for (size_t i = 0; i < written->count && !error; i++)
		if (written->list[i] >= 0)
			error = place_tree(view, *path = written->paths[i], written->list[i], false);
	if (!error)
		error = place_links(view, options, path);
	if (!error)
		error = place_console(view, options);
	return error;
}

/* The old root is mounted on top of the new one, and is unmounted from there: pivot_root(2), NOTES. */
static int turn_to(int view)
{
	if (fchdir(view) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return -errno;
	return 0;
}

static int make_view(const struct view *view, const struct options *options, const struct trees *read,
		     const struct trees *written, const char **path)
{
	*path = "/";
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int error = root < 0 ? -errno : attach(view->fd, root);

	if (root >= 0)
		close(root);
	if (!error)
		error = fill(view, options, read, written, path);
	if (!error) {
		*path = "/";
		error = turn_to(view->fd);
	}
	/* This comes after pivot_root, because the paths of /proc/self/mountinfo begin at the root. It comes before the write roots
	 * are mounted, because they stay writable. */
	if (!error)
		error = add_attributes(view->fd, ION_MOUNT_ATTR_RDONLY, true);
	for (size_t i = 0; i < written->count && !error; i++)
		if (written->list[i] >= 0)
			error = attach_at(written->list[i], *path = written->paths[i]);
	return error;
}

/* A root "/" is the view itself, and then the only root. */
static int open_view(struct trees *read, struct view *view)
{
	struct stat info;

	if (read->count == 1 && strcmp(read->paths[0], "/") == 0) {
		view->fd = read->list[0];
		read->list[0] = -ENOENT;
		return view->fd < 0 ? view->fd : 0;
	}
	view->fd = make_tmpfs();
	if (view->fd < 0)
		return view->fd;
	if (fstat(view->fd, &info) < 0)
		return -errno;
	view->device = info.st_dev;
	return 0;
}

int enter_view(const struct options *options, const char **path)
{
	struct trees read = { 0 }, written = { 0 };
	struct view view = { .fd = -1 };
	int error = take_trees(options->view_roots, &read, path);

	if (!error)
		error = take_trees(options->writable, &written, path);
	if (!error)
		error = open_view(&read, &view);
	if (!error)
		error = make_view(&view, options, &read, &written, path);
	if (view.fd >= 0)
		close(view.fd);
	close_trees(&read);
	close_trees(&written);
	return error;
}
