#define _GNU_SOURCE
#include "confine/ownerless.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/kernel_abi.h"

/* The kernel refuses a namespace without any mapped id (EINVAL). No file belongs to this id. It is the highest one: -1 means
 * "unchanged" to chown(2). */
#define UNUSED_ID 4294967294u

static int write_file(const char *path, const char *text, size_t length)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int error = write(fd, text, length) < 0 ? -errno : 0;
	close(fd);
	return error;
}

/* A process may map one id to its own, by itself. */
static int map_unused(const char *path, unsigned own)
{
	char line[64];
	int length = snprintf(line, sizeof(line), "%u %u 1\n", UNUSED_ID, own);

	return write_file(path, line, (size_t)length);
}

struct making {
	uid_t uid;
	gid_t gid;
	int fd; /* of the user namespace, or -errno */
};

static int map_and_open(void *argument)
{
	struct making *making = argument;
	int error = write_file("/proc/self/setgroups", "deny", strlen("deny"));

	if (!error)
		error = map_unused("/proc/self/uid_map", making->uid);
	if (!error)
		error = map_unused("/proc/self/gid_map", making->gid);
	making->fd = error ? error : open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
	if (making->fd == -1)
		making->fd = -errno;
	return 0;
}

/* Uses a child that shares the memory and the descriptors, and ends before this returns. Returns a descriptor or -errno. */
static int make_user_namespace(void)
{
	char stack[16 * 1024] __attribute__((aligned(16)));
	struct making making = { geteuid(), getegid(), -EIO };
	pid_t pid = clone(map_and_open, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_NEWUSER, &making);

	if (pid < 0)
		return -errno;
	while (waitpid(pid, NULL, __WALL) < 0)
		if (errno != EINTR)
			return -errno;
	return making.fd;
}

static int set_owners(int tree, int namespace, unsigned below)
{
	struct ion_mount_attr attr = { .attr_set = ION_MOUNT_ATTR_IDMAP, .userns_fd = (unsigned long long)namespace };

	return syscall(__NR_mount_setattr, tree, "", AT_EMPTY_PATH | below, &attr, sizeof(attr)) < 0 ? -errno : 0;
}

static int attach_ownerless(int onto, int namespace)
{
	const unsigned flags = ION_MOVE_MOUNT_F_EMPTY_PATH | ION_MOVE_MOUNT_T_EMPTY_PATH;
	int tree = (int)syscall(__NR_open_tree, onto, "",
				AT_EMPTY_PATH | ION_AT_RECURSIVE | ION_OPEN_TREE_CLONE | O_CLOEXEC);
	if (tree < 0)
		return -errno;
	int error = set_owners(tree, namespace, ION_AT_RECURSIVE);
	if (error)
		error = set_owners(tree, namespace, 0);
	if (!error && syscall(__NR_move_mount, tree, "", onto, "", flags) < 0)
		error = -errno;
	close(tree);
	return error;
}

int mount_ownerless(const char *path)
{
	struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };
	int onto = (int)syscall(__NR_openat2, AT_FDCWD, path, &how, sizeof(how));
	if (onto < 0)
		return -errno;
	int namespace = make_user_namespace();
	int error = namespace < 0 ? namespace : attach_ownerless(onto, namespace);
	if (namespace >= 0)
		close(namespace);
	close(onto);
	return error;
}
