#define _GNU_SOURCE
#include "confine/mount_steps.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <unistd.h>

#include "base/kernel_abi.h"
#include "confine/remount.h"

int open_path(const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };
	long fd = syscall(__NR_openat2, AT_FDCWD, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

int copy_tree(int fd)
{
	long tree = syscall(__NR_open_tree, fd, "",
			    AT_EMPTY_PATH | ION_AT_RECURSIVE | ION_OPEN_TREE_CLONE | O_CLOEXEC);

	return tree < 0 ? -errno : (int)tree;
}

int copy_tree_at(const char *path)
{
	int fd = open_path(path);
	if (fd < 0)
		return fd;
	int tree = copy_tree(fd);
	close(fd);
	return tree;
}

int attach(int tree, int onto)
{
	const unsigned flags = ION_MOVE_MOUNT_F_EMPTY_PATH | ION_MOVE_MOUNT_T_EMPTY_PATH;

	return syscall(__NR_move_mount, tree, "", onto, "", flags) < 0 ? -errno : 0;
}

int attach_at(int tree, const char *path)
{
	int error = -ENOENT;

	for (int look = 0; look < LOOKS && error == -ENOENT; look++) {
		int onto = open_path(path);
		if (onto < 0)
			return onto;
		error = attach(tree, onto);
		close(onto);
	}
	return error;
}

#define FSCONFIG_SET_STRING 1u

int make_tmpfs(void)
{
	int context = (int)syscall(__NR_fsopen, "tmpfs", 1 /* FSOPEN_CLOEXEC */);
	if (context < 0)
		return -errno;
	int error = syscall(__NR_fsconfig, context, FSCONFIG_SET_STRING, "mode", "0755", 0) < 0 ||
				    syscall(__NR_fsconfig, context, ION_FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0
			    ? -errno
			    : 0;
	int tree = error ? -1 : (int)syscall(__NR_fsmount, context, 1 /* FSMOUNT_CLOEXEC */, 0);
	if (!error && tree < 0)
		error = -errno;
	close(context);
	return error ? error : tree;
}

int add_attributes(int mount, unsigned long long attributes, bool below)
{
	struct ion_mount_attr attr = { .attr_set = attributes };
	unsigned flags = AT_EMPTY_PATH | (below ? ION_AT_RECURSIVE : 0);

	if (syscall(__NR_mount_setattr, mount, "", flags, &attr, sizeof(attr)) == 0)
		return 0;
	return errno == ENOSYS ? remount(mount, attributes, below) : -errno;
}
