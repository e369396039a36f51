#define _GNU_SOURCE
#include "caller.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "abi.h"

#define PAGE 4096u
#define SHORT 256u
#define SYMLINKS_MAX 40 /* as the kernel's own (path_resolution(7)) */
#define TRIES 10000 /* and some tenth of a second: a virtual processor can be taken away in the middle of a rename */

ssize_t read_memory(const struct caller *caller, uint64_t address, void *buffer, size_t size)
{
	/* The kernel copies whole elements: one that ends in a missing page gives nothing of itself. */
	size_t first = PAGE - address % PAGE;
	if (first > size)
		first = size;
	struct iovec local = { buffer, size };
	struct iovec remote[] = { { (void *)(uintptr_t)address, first },
				  { (void *)(uintptr_t)(address + first), size - first } };
	ssize_t count = process_vm_readv(caller->pid, &local, 1, remote, size > first ? 2 : 1, 0);

	return count < 0 ? -errno : count;
}

ssize_t read_string(const struct caller *caller, uint64_t address, char *text, size_t size)
{
	size_t length = 0;

	while (length < size) {
		/* Paths are short, and each page costs a look-up of its own. */
		size_t wanted = length == 0 ? SHORT : PAGE;
		size_t page_rest = PAGE - (address + length) % PAGE;
		if (wanted > page_rest)
			wanted = page_rest;
		if (wanted > size - length)
			wanted = size - length;
		ssize_t count = read_memory(caller, address + length, text + length, wanted);
		if (count <= 0)
			return count < 0 ? count : -EFAULT;
		const char *end = memchr(text + length, '\0', (size_t)count);
		if (end)
			return end - text;
		length += (size_t)count;
	}
	return -ENAMETOOLONG;
}

static bool starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Names that the kernel reads as "of whoever asks": for the supervisor they would mean the supervisor. */
static const struct {
	const char *prefix, *of_caller; /* below /proc/PID/ */
} own_names[] = {
	{ "/proc/self", "" },	  { "/proc/thread-self", "" }, { "/dev/fd", "fd" },
	{ "/dev/stdin", "fd/0" }, { "/dev/stdout", "fd/1" },   { "/dev/stderr", "fd/2" },
};

/* What of `path` follows `prefix` as whole components, or NULL. */
static const char *after_prefix(const char *path, const char *prefix)
{
	size_t length = strlen(prefix);

	if (!starts_with(path, prefix) || (path[length] != '\0' && path[length] != '/'))
		return NULL;
	return path + length;
}

/* The part of `path` (below /proc/PID/) that is a magic link: cwd, root, exe, ns/NAME, or fd/N. Its length, or 0. */
static size_t magic_length(const char *path)
{
	static const char *const names[] = { "cwd", "root", "exe" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (after_prefix(path, names[i]))
			return strlen(names[i]);
	if (starts_with(path, "ns/") && path[3] && path[3] != '.')
		return 3 + strcspn(path + 3, "/");
	size_t digits = starts_with(path, "fd/") ? strspn(path + 3, "0123456789") : 0;
	return digits > 0 && (path[3 + digits] == '\0' || path[3 + digits] == '/') ? 3 + digits : 0;
}

/* Replace a leading /proc/self/cwd and the like by what it leads to for the caller. Returns 1 if something was replaced, 0
 * if there was nothing to do, or -errno. Only where it is written out in the path: behind a symlink or dots the kernel's
 * own resolution meets the magic link, and says ELOOP. */
static int replace_own_name(const struct caller *caller, char joined[PATH_MAX])
{
	char link[PATH_MAX], target[PATH_MAX], rest[PATH_MAX];
	const char *after = NULL;
	size_t name = 0;

	for (; name < sizeof(own_names) / sizeof(own_names[0]) && !after; name++)
		after = after_prefix(joined, own_names[name].prefix);
	if (!after)
		return 0;
	const char *below = own_names[name - 1].of_caller;
	snprintf(rest, sizeof(rest), "%s%s", below, *below || *after != '/' ? after : after + 1);
	size_t magic = magic_length(rest);
	if (magic == 0)
		return snprintf(joined, PATH_MAX, "/proc/%d/%s", caller->pid, rest) < PATH_MAX ? 0 : -ENAMETOOLONG;
	snprintf(link, sizeof(link), "/proc/%d/%.*s", caller->pid, (int)magic, rest);
	ssize_t length = readlink(link, target, sizeof(target) - 1);
	if (length < 0)
		return -errno;
	target[length] = '\0';
	if (*target != '/')
		return NOT_A_PATH;
	return snprintf(joined, PATH_MAX, "%s%s", target, rest + magic) < PATH_MAX ? 1 : -ENAMETOOLONG;
}

static int replace_own_names(const struct caller *caller, char joined[PATH_MAX])
{
	int replaced = 1;

	for (int hop = 0; replaced == 1; hop++)
		replaced = hop < 8 ? replace_own_name(caller, joined) : -ELOOP;
	return replaced;
}

/* `path` seen from (dirfd): absolute, not yet canonical. */
static int absolute(const struct caller *caller, int dirfd, const char *path, char *joined)
{
	char link[64];

	if (*path == '/')
		return snprintf(joined, PATH_MAX, "%s", path) < PATH_MAX ? 0 : -ENAMETOOLONG;
	if (dirfd == AT_FDCWD)
		snprintf(link, sizeof(link), "/proc/%d/cwd", caller->pid);
	else
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", caller->pid, dirfd);
	ssize_t length = readlink(link, joined, PATH_MAX - 1);
	if (length < 0)
		return -errno;
	if (joined[0] != '/')
		return NOT_A_PATH;
	size_t room = PATH_MAX - (size_t)length;
	return snprintf(joined + length, room, "/%s", path) < (int)room ? 0 : -ENAMETOOLONG;
}

static int open_by(const struct caller *caller, const char *path, struct open_how how)
{
	long fd = -1;

	/* EAGAIN: somewhere on the machine something was renamed or mounted while ".." was looked up; openat2(2) says to try
	 * again. Open(2) itself would not have failed. */
	errno = EAGAIN;
	for (int try = 1; fd < 0 && errno == EAGAIN && try <= TRIES; try++) {
		fd = syscall(__NR_openat2, caller->root, path, &how, sizeof(how));
		if (fd < 0 && errno == EAGAIN && try % 16 == 0) {
			nanosleep(&(struct timespec){ 0, 50000 }, NULL);
			errno = EAGAIN;
		}
	}
	return fd < 0 ? -errno : (int)fd;
}

static int open_in_root(const struct caller *caller, const char *path, enum follow follow)
{
	return open_by(caller, path,
		       (struct open_how){
			       .flags = O_PATH | O_CLOEXEC | (follow == NO_FOLLOW ? O_NOFOLLOW : 0),
			       .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
		       });
}

/* -ELOOP when there is a symlink in `path`, also as its last component. */
static int open_without_symlinks(const struct caller *caller, const char *path)
{
	return open_by(caller, path,
		       (struct open_how){
			       .flags = O_PATH | O_CLOEXEC,
			       .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS,
		       });
}

static int path_of(int fd, char resolved[PATH_MAX])
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, resolved, PATH_MAX - 1);
	if (length < 0)
		return -errno;
	resolved[length] = '\0';
	return 0;
}

size_t length_of_gone(const char *name)
{
	static const char mark[] = " (deleted)";
	size_t length = strlen(name), size = sizeof(mark) - 1;

	return length > size && strcmp(name + length - size, mark) == 0 ? length - size : 0;
}

/* As the kernel names what a descriptor stands for. */
static bool is_canonical(const char *path)
{
	for (const char *at = path; (at = strchr(at, '/')); at++) {
		size_t dots = strspn(at + 1, ".");
		if (dots <= 2 && (at[1 + dots] == '/' || (dots > 0 && at[1 + dots] == '\0')))
			return false;
	}
	return true;
}

/* The folder that would hold the last component, and its name. */
static int resolve_parent(const struct caller *caller, char *joined, char resolved[PATH_MAX])
{
	size_t length = strlen(joined);

	while (length > 1 && joined[length - 1] == '/')
		joined[--length] = '\0';
	char *slash = strrchr(joined, '/');
	if (!slash || slash[1] == '\0' || strcmp(slash + 1, ".") == 0 || strcmp(slash + 1, "..") == 0)
		return -EINVAL;
	/* Of a file that is gone with its folder, /proc/self/fd/N tells the name. */
	bool gone = length_of_gone(slash + 1) && is_canonical(joined);
	*slash = '\0';
	int parent = open_in_root(caller, *joined ? joined : "/", FOLLOW);
	if (parent == -ENOENT && gone)
		return snprintf(resolved, PATH_MAX, "%s/%s", joined, slash + 1) < PATH_MAX ? -ENOENT : -ENAMETOOLONG;
	if (parent < 0)
		return parent;
	int error = path_of(parent, resolved);
	close(parent);
	if (error)
		return error;
	length = strcmp(resolved, "/") == 0 ? 0 : strlen(resolved);
	return snprintf(resolved + length, PATH_MAX - length, "/%s", slash + 1) < (int)(PATH_MAX - length)
		       ? -ENOENT
		       : -ENAMETOOLONG;
}

/* Where the symlink `joined`, that leads to nothing, points: open(2) with O_CREAT makes that file. Returns 1 with `joined` replaced, 0
 * when it is no symlink, or -errno. */
static int replace_dangling(const struct caller *caller, char joined[PATH_MAX])
{
	char target[PATH_MAX], folder[PATH_MAX];
	int link = open_in_root(caller, joined, NO_FOLLOW);

	if (link < 0)
		return link == -ENOENT ? 0 : link;
	ssize_t length = readlinkat(link, "", target, sizeof(target) - 1);
	int error = length < 0 ? -errno : path_of(link, folder);
	close(link);
	if (error)
		return error == -EINVAL || error == -ENOENT ? 0 : error;
	if (*folder != '/')
		return NOT_A_PATH;
	target[length] = '\0';
	folder[*target == '/' ? 0 : strrchr(folder, '/') - folder] = '\0';
	return snprintf(joined, PATH_MAX, "%s%s%s", folder, *target == '/' ? "" : "/", target) < PATH_MAX ? 1 : -ENAMETOOLONG;
}

/* Through symlinks, and names that the kernel would write in another way. */
static int resolve_with_symlinks(const struct caller *caller, char joined[PATH_MAX], enum follow follow, char resolved[PATH_MAX])
{
	int fd = -ENOENT, replaced = 1;

	for (int hop = 0; fd == -ENOENT && replaced == 1; hop++) {
		if (hop > SYMLINKS_MAX)
			return -ELOOP;
		if ((replaced = replace_own_names(caller, joined)) < 0)
			return replaced;
		fd = open_in_root(caller, joined, follow);
		replaced = fd == -ENOENT && follow == FOLLOW ? replace_dangling(caller, joined) : 0;
	}
	if (replaced < 0)
		return replaced;
	if (fd < 0)
		return fd == -ENOENT ? resolve_parent(caller, joined, resolved) : fd;
	int error = path_of(fd, resolved);
	if (error)
		close(fd);
	return error ? error : fd;
}

int resolve(const struct caller *caller, int dirfd, const char *path, enum follow follow, char resolved[PATH_MAX])
{
	char joined[PATH_MAX];
	int fd = absolute(caller, dirfd, path, joined);

	resolved[0] = '\0';
	if (fd < 0)
		return fd;
	/* Mostly the name is its own answer, which saves asking for it: three of eight system calls for a new file. */
	fd = is_canonical(joined) ? open_without_symlinks(caller, joined) : -ELOOP;
	if (fd >= 0 || fd == -ENOENT) {
		strcpy(resolved, joined);
		return fd;
	}
	fd = resolve_with_symlinks(caller, joined, follow, resolved);
	if (fd < 0 && fd != -ENOENT)
		resolved[0] = '\0';
	return fd;
}

/* A number from /proc/TID/status. */
static pid_t status_field(pid_t tid, const char *field)
{
	char path[64], text[512];

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ssize_t length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length <= 0)
		return -EIO;
	text[length] = '\0';
	const char *line = strstr(text, field);
	return line ? (pid_t)strtol(line + strlen(field), NULL, 10) : -EIO;
}

pid_t process_of(pid_t tid)
{
	return status_field(tid, "\nTgid:");
}

void program_of(const struct caller *caller, char program[PATH_MAX])
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/%d/exe", caller->pid);
	ssize_t length = readlink(link, program, PATH_MAX - 1);
	program[length > 0 ? length : 0] = '\0';
}
