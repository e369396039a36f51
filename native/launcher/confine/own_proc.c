#define _GNU_SOURCE
#include "confine/own_proc.h"

#include <errno.h>
#include <unistd.h>

#include "base/kernel_abi.h"
#include "confine/mount_steps.h"

#define ATTRIBUTES (ION_MOUNT_ATTR_NOSUID | ION_MOUNT_ATTR_NODEV | ION_MOUNT_ATTR_NOEXEC)

int mount_own_proc(bool readonly)
{
	const unsigned long long attributes = ATTRIBUTES | (readonly ? ION_MOUNT_ATTR_RDONLY : 0);
	int context = (int)syscall(__NR_fsopen, "proc", 1 /* FSOPEN_CLOEXEC */);
	if (context < 0)
		return -errno;
	int error = syscall(__NR_fsconfig, context, ION_FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0 ? -errno : 0;
	int tree = error ? -1 : (int)syscall(__NR_fsmount, context, 1 /* FSMOUNT_CLOEXEC */, attributes);
	if (!error && tree < 0)
		error = -errno;
	close(context);
	if (error)
		return error;
	error = attach_at(tree, "/proc");
	close(tree);
	return error;
}
