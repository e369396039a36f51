/* Calls resolve() on arbitrary paths, for this process. The result must be canonical, and must be the file that the kernel
 * opens for the path. A file that the kernel finds and resolve() does not would be accessible without a check. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "../../native/launcher/paths/resolve.h"

#define NUMBER 900 /* of a descriptor of a folder */

static char scratch[PATH_MAX]; /* in the current folder: run.mjs removes it */

static void make_scratch(void)
{
	static const char *const links[][2] = {
		{ "d", "l" },			   { "l/../d/f", "m" },	       { "nothing", "n" },
		{ "/proc/self/cwd", "c" },	   { "/proc/self/fd/900", "9" }, { "/proc/thread-self/../../cwd", "t" },
		{ "/dev/fd/900/../d/.", "e" },	   { "o", "o" },	       { "../x", "d/x" },
	};

	if (!getcwd(scratch, sizeof(scratch) - 16))
		abort();
	strcat(scratch, "/XXXXXX");
	if (!mkdtemp(scratch) || chdir(scratch) < 0)
		abort();
	mkdir("d", 0755);
	close(open("d/f", O_CREAT | O_WRONLY, 0644));
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		if (symlink(links[i][0], links[i][1]) < 0)
			abort();
	int folder = open("d", O_PATH | O_DIRECTORY);
	if (dup2(folder, NUMBER) < 0)
		abort();
	close(folder);
}

/* Enters a folder that exists, or one that was removed. */
static void enter(bool removed)
{
	if (chdir(scratch) < 0 || !removed)
		return;
	mkdir("gone", 0755);
	if (chdir("gone") < 0 || rmdir("../gone") < 0)
		abort();
}

static void check_canonical(const char *resolved)
{
	assert(resolved[0] == '/');
	assert(!strstr(resolved, "/../") && !strstr(resolved, "/./") && !strstr(resolved, "//"));
	assert(resolved[1] == '\0' || resolved[strlen(resolved) - 1] != '/');
}

static void check_same(int opened, int answer)
{
	char link[64], name[PATH_MAX];
	struct stat there, found;
	struct statfs system;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", opened);
	ssize_t length = readlink(link, name, sizeof(name) - 1);
	if (length < 0 || fstat(opened, &there) < 0 || fstatfs(opened, &system) < 0)
		return;
	name[length] = '\0';
	if (answer == -ENOENT || answer == A_GONE_FILE)
		assert(there.st_nlink == 0 || length_of_gone(name));
	else if (answer == NOT_A_PATH)
		assert(*name != '/');
	else if (answer >= 0 && system.f_type != PROC_SUPER_MAGIC && fstat(answer, &found) == 0)
		assert(there.st_dev == found.st_dev && there.st_ino == found.st_ino);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int root = -1;
	char path[PATH_MAX + 16], resolved[PATH_MAX];

	if (root < 0) {
		root = open("/", O_PATH | O_DIRECTORY);
		make_scratch();
	}
	if (size < 2 || size >= sizeof(path))
		return 0;
	memcpy(path, data + 1, size - 1);
	path[size - 1] = '\0';
	enter(data[0] & 4);
	struct task task = { getpid(), root };
	int dirfd = data[0] & 2 ? AT_FDCWD : data[0] & 8 ? NUMBER : data[0] >> 4;
	enum follow follow = data[0] & 1 ? FOLLOW : NO_FOLLOW;
	int opened = openat(dirfd, path, O_PATH | O_CLOEXEC | (follow == FOLLOW ? 0 : O_NOFOLLOW));
	int fd = resolve(&task, dirfd, path, follow, resolved);
	/* The names of pipes and sockets are not paths. That of a deleted file ends in " (deleted)". */
	if (resolved[0] == '/')
		check_canonical(resolved);
	if (opened >= 0 && *path) {
		check_same(opened, fd);
		close(opened);
	}
	if (fd >= 0)
		close(fd);
	return 0;
}
