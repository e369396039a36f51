/* A path without symlinks is already canonical, and one system call shows that. Every other path is walked here, component by
 * component, as in path_resolution(7). Some names depend on the calling process (/proc/self, and links to it: /dev/fd,
 * /dev/stdin). For the supervisor's call the kernel would resolve them to the supervisor. */
#define _GNU_SOURCE
#include "paths/resolve.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "paths/absolute.h"

#define SYMLINKS_MAX 40

static bool is_missing(const struct task *task, const char *path)
{
	int fd = open_plain(task, path, 0);

	if (fd >= 0)
		close(fd);
	return fd == -ENOENT;
}

/* Remove empty and "." components. Returns true if one was at the end: the path must then name a folder. */
static bool squeeze(char *path)
{
	const char *from = path;
	char *to = path;
	bool folder = false;

	while (*from) {
		from += strspn(from, "/");
		size_t length = strcspn(from, "/");
		folder = length == 0 || (length == 1 && *from == '.');
		if (!folder) {
			*to++ = '/';
			memmove(to, from, length);
			to += length;
		}
		from += length;
	}
	if (to == path)
		*to++ = '/';
	*to = '\0';
	return folder;
}

/* The target of the symlink `path` (canonical), which is `name` in `folder`. Returns 0, -EINVAL when it is not a symlink,
 * NOT_A_PATH, or another -errno. */
static int read_symlink(const struct task *task, int folder, const char *name, const char *path, char target[PATH_MAX])
{
	struct statfs system;

	if (strcmp(path, "/proc/self") == 0 || strcmp(path, "/proc/thread-self") == 0) {
		/* The /proc of the task's root has the numbers of the run. */
		pid_t process = process_inside(task->pid), thread = number_inside(task->pid);
		if (process < 0 || thread < 0)
			return NOT_A_PATH; /* the task no longer waits */
		if (path[6] == 't')
			snprintf(target, PATH_MAX, "%d/task/%d", process, thread);
		else
			snprintf(target, PATH_MAX, "%d", process);
		return 0;
	}
	ssize_t length = readlinkat(folder, name, target, PATH_MAX - 1);
	if (length < 0)
		return -errno;
	target[length] = '\0';
	if (strncmp(path, "/proc/", 6) == 0)
		return path[6] >= '0' && path[6] <= '9' && *target != '/' ? NOT_A_PATH : 0;
	/* /proc is mounted at another place, and its `self` was the supervisor. */
	int fd = open_plain(task, path, O_NOFOLLOW);
	int error = fd < 0 ? fd : fstatfs(fd, &system) < 0 ? -errno : system.f_type == PROC_SUPER_MAGIC ? -ELOOP : 0;
	if (fd >= 0)
		close(fd);
	return error;
}

struct walk {
	const struct task *task;
	char *walked; /* canonical, without a slash at its end: the root is "" */
	int folder;   /* O_PATH of it: looking up each component from the root is quadratic, and the supervisor serves no other call meanwhile */
	char rest[PATH_MAX], *next;
	int symlinks;
};

static void stand_in(struct walk *walk, int folder)
{
	if (walk->folder != walk->task->root)
		close(walk->folder);
	walk->folder = folder;
}

static int go_to(struct walk *walk, const char *name)
{
	int folder = openat(walk->folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (folder < 0)
		return -errno;
	stand_in(walk, folder);
	return 0;
}

static void step_up(char *walked)
{
	char *slash = strrchr(walked, '/');

	if (slash)
		*slash = '\0';
}

/* `walked` is a symlink: continue at its target. */
static int follow_symlink(struct walk *walk, const char *target)
{
	char rest[PATH_MAX];

	if (++walk->symlinks > SYMLINKS_MAX)
		return -ELOOP;
	if (snprintf(rest, sizeof(rest), "%s/%s", target, walk->next) >= (int)sizeof(rest))
		return -ENAMETOOLONG;
	strcpy(walk->rest, rest);
	walk->next = walk->rest + strspn(walk->rest, "/");
	step_up(walk->walked);
	if (*target == '/') {
		*walk->walked = '\0';
		stand_in(walk, walk->task->root);
	}
	return 0;
}

/* Move the next component of `rest` to `walked`. Returns -ENOENT with `walked` set when only that is missing, else empty. */
static int walk_on(struct walk *walk, enum follow follow)
{
	char target[PATH_MAX], *walked = walk->walked;
	const char *name = walk->next;
	size_t length = strcspn(name, "/"), room = PATH_MAX - strlen(walked);

	walk->next += length;
	walk->next += strspn(walk->next, "/");
	bool last = *walk->next == '\0';
	if (length <= 2 && strncmp(name, "..", length) == 0) {
		if (length == 1 || *walked == '\0')
			return 0;
		step_up(walked);
		if (*walked != '\0')
			return go_to(walk, "..");
		stand_in(walk, walk->task->root);
		return 0;
	}
	if (snprintf(walked + strlen(walked), room, "/%.*s", (int)length, name) >= (int)room)
		return -ENAMETOOLONG;
	if (last && follow == NO_FOLLOW)
		return 0;
	name = strrchr(walked, '/') + 1;
	int error = read_symlink(walk->task, walk->folder, name, walked, target);
	if (error == -EINVAL)
		return last ? 0 : go_to(walk, name);
	if (error == -ENOENT && !last)
		*walked = '\0';
	if (error)
		return error;
	if (strncmp(walked, "/proc/", 6) != 0 || *target != '/')
		return follow_symlink(walk, target);
	if (is_gone(walk->task, walk->folder, name, target)) {
		strcpy(walked, target);
		return last ? A_GONE_FILE : FROM_A_GONE_FOLDER;
	}
	/* A given stream whose folder the task's root does not have. The kernel needs no path for it. */
	if (last && is_missing(walk->task, target)) {
		strcpy(walked, target);
		return -ENOENT;
	}
	return follow_symlink(walk, target);
}

static int walk_path(const struct task *task, const char *path, enum follow follow, char walked[PATH_MAX])
{
	struct walk walk = { .task = task, .walked = walked, .folder = task->root };
	int error = 0;

	*walked = '\0';
	strcpy(walk.rest, path);
	walk.next = walk.rest + strspn(walk.rest, "/");
	while (!error && *walk.next)
		error = walk_on(&walk, follow);
	stand_in(&walk, task->root);
	if (!error && *walked == '\0')
		strcpy(walked, "/");
	return error;
}

int resolve(const struct task *task, int dirfd, const char *path, enum follow follow, char resolved[PATH_MAX])
{
	char joined[PATH_MAX];
	int fd = absolute(task, dirfd, path, joined);

	resolved[0] = '\0';
	if (fd < 0)
		return fd;
	if (squeeze(joined))
		follow = FOLLOW;
	int flags = follow == NO_FOLLOW ? O_NOFOLLOW : 0;
	fd = has_parent(joined) ? -ELOOP : open_plain(task, joined, flags);
	if (fd >= 0 || fd == -ENOENT) {
		strcpy(resolved, joined);
		return fd;
	}
	fd = walk_path(task, joined, follow, resolved);
	if (fd == 0)
		fd = open_plain(task, resolved, O_NOFOLLOW);
	if (fd < 0 && fd != -ENOENT && fd != A_GONE_FILE && fd != NOT_A_PATH)
		resolved[0] = '\0';
	return fd;
}
