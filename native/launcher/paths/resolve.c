/* A path without symlinks is already canonical, and one system call shows that. Every other path is walked here, component by
 * component, as in path_resolution(7). Some names depend on the calling process (/proc/self, and links to it: /dev/fd,
 * /dev/stdin). For the supervisor's call the kernel would resolve them to the supervisor. */
#define _GNU_SOURCE
#include "paths/resolve.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/kernel_abi.h"
#include "paths/remembered_folder.h"

#define SYMLINKS_MAX 40

/* `path` is absolute, in the task's root, and without `..`, for which openat2(2) would return EAGAIN during any rename. -ELOOP
 * if it contains a symlink, with O_NOFOLLOW only before the last component. */
static int open_plain(const struct task *task, const char *path, int flags)
{
	struct open_how how = {
		.flags = (__u64)(O_PATH | O_CLOEXEC | flags),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS,
	};
	long fd = syscall(__NR_openat2, task->root, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

size_t length_of_gone(const char *name)
{
	static const char mark[] = " (deleted)";
	size_t length = strlen(name), size = sizeof(mark) - 1;

	return length > size && strcmp(name + length - size, mark) == 0 ? length - size : 0;
}

/* Is the file of a magic link of /proc, `link` in `folder`, gone, so that `target` is only the kernel's name for it? Another file can have that
 * name. */
static bool is_gone(const struct task *task, int folder, const char *link, const char *target)
{
	struct stat meant, there;

	if (!length_of_gone(target))
		return false;
	int fd = open_plain(task, target, 0);
	bool same = fd >= 0 && fstatat(folder, link, &meant, 0) == 0 && fstat(fd, &there) == 0 && meant.st_dev == there.st_dev &&
		    meant.st_ino == there.st_ino;
	if (fd >= 0)
		close(fd);
	return !same;
}

static bool is_missing(const struct task *task, const char *path)
{
	int fd = open_plain(task, path, 0);

	if (fd >= 0)
		close(fd);
	return fd == -ENOENT;
}

static bool has_parent(const char *path)
{
	for (const char *at = path; (at = strstr(at, "/..")); at += 3)
		if (at[3] == '\0' || at[3] == '/')
			return true;
	return false;
}

/* The kernel's name for what `link` of /proc means, in `joined`. Returns its length, -errno or NOT_A_PATH, and whether it is gone. */
static ssize_t read_folder(const struct task *task, const char *link, char *joined, bool *gone)
{
	ssize_t length = readlink(link, joined, PATH_MAX - 1);

	if (length < 0)
		return -errno;
	joined[length] = '\0';
	if (joined[0] != '/')
		return NOT_A_PATH;
	*gone = is_gone(task, AT_FDCWD, link, joined);
	return length;
}

static ssize_t current_folder(const struct task *task, char *joined, bool *gone)
{
	char link[64];
	ssize_t length = task->remembers ? (ssize_t)recall_folder(task->pid, joined) : 0;

	if (length > 0)
		return length;
	const unsigned begun = begin_reading_folder();
	snprintf(link, sizeof(link), "/proc/%d/cwd", task->pid);
	length = read_folder(task, link, joined, gone);
	/* A folder that is gone, or whose name only looks so, is looked at each time. */
	if (task->remembers && length > 0 && !length_of_gone(joined))
		remember_folder(begun, task->pid, joined, (size_t)length);
	return length;
}

/* `path` seen from (dirfd): absolute, not yet canonical. */
static int absolute(const struct task *task, int dirfd, const char *path, char *joined)
{
	char link[64];
	bool gone = false;

	if (*path == '/')
		return snprintf(joined, PATH_MAX, "%s", path) < PATH_MAX ? 0 : -ENAMETOOLONG;
	snprintf(link, sizeof(link), "/proc/%d/fd/%d", task->pid, dirfd);
	ssize_t length = dirfd == AT_FDCWD ? current_folder(task, joined, &gone) : read_folder(task, link, joined, &gone);
	if (length < 0 || length == NOT_A_PATH)
		return (int)length;
	size_t room = PATH_MAX - (size_t)length;
	if (snprintf(joined + length, room, "/%s", path) >= (int)room)
		return -ENAMETOOLONG;
	return !gone ? 0 : has_parent(joined + length) ? FROM_A_GONE_FOLDER : -ENOENT;
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
	/* /proc mounted at another place: its `self` was the supervisor. */
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
