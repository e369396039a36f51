#define _GNU_SOURCE
#include "paths/absolute.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel_abi.h"
#include "paths/remembered_folder.h"
#include "paths/resolve.h"

int open_plain(const struct task *task, const char *path, int flags)
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

bool is_gone(const struct task *task, int folder, const char *link, const char *target)
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

bool has_parent(const char *path)
{
	for (const char *at = path; (at = strstr(at, "/..")); at += 3)
		if (at[3] == '\0' || at[3] == '/')
			return true;
	return false;
}

/* Stores in `joined` the kernel's name for the target of `link`, a link of /proc. Sets `gone` if that file was removed.
 * Returns the length, -errno or NOT_A_PATH. */
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
	/* A folder that is gone, or whose name looks like that of a removed one, is not remembered. */
	if (task->remembers && length > 0 && !length_of_gone(joined))
		remember_folder(begun, task->pid, joined, (size_t)length);
	return length;
}

int absolute(const struct task *task, int dirfd, const char *path, char joined[PATH_MAX])
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
