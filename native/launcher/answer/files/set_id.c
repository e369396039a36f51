/* chmod(2) with a set-id bit. The group bit on a folder: `git init --shared=group` sets it. On a file both bits stay refused. The
 * supervisor makes the call on the folder that it checked, with the task's ids and in the run's own mounts. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel_abi.h"
#include "answer/files/denied_paths.h"
#include "answer/files/denied_places.h"
#include "answer/files/made_files.h"
#include "supervise/as_task.h"
#include "supervise/notify.h"
#include "paths/resolve.h"
#include "supervise/borrowed_socket.h"
#include "report/violations.h"
#include "answer/files/write_calls.h"
#include "answer/files/changes.h"
#include "answer/files/write_rules.h"

struct change {
	int folder;
	mode_t mode;
};

static int change_mode(void *argument)
{
	const struct change *wanted = argument;
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", wanted->folder);
	return chmod(link, wanted->mode) < 0 ? -errno : 0;
}

/* A descriptor of the file that the call names, with its path in `resolved`, or -errno. */
static int take_operand(const struct call *call, const struct operand *operand, char resolved[PATH_MAX])
{
	const __u64 *args = call->data->args;
	uint64_t flags = operand->flags ? args[operand->flags - 1] : 0;
	char path[PATH_MAX], link[64];
	ssize_t length = operand->path ? read_string(&call->task, args[operand->path - 1], path, sizeof(path)) : 0;

	if (length < 0)
		return (int)length;
	if (length == 0 && operand->path && !(flags & AT_EMPTY_PATH))
		return -ENOENT;
	if (length > 0)
		return resolve(&call->task, operand->dirfd ? (int)args[operand->dirfd - 1] : AT_FDCWD, path,
			       flags & AT_SYMLINK_NOFOLLOW ? NO_FOLLOW : FOLLOW, resolved);
	int fd = take_descriptor(call);
	if (fd < 0)
		return fd;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, resolved, PATH_MAX - 1);
	resolved[length > 0 ? length : 0] = '\0';
	return fd;
}

/* The mode is a register: unlike a path, no other thread can change it. */
static int refuse_set_id(const struct call *call, const char *path)
{
	if (call->watch->options->report == REPORT_MINIMAL || !still_waits(call))
		return -EPERM;
	return refuse(call, "write", "set-id", path, -EPERM);
}

static int answer_file(const struct call *call, int folder, const char *path, mode_t mode)
{
	struct change wanted = { folder, mode & 07777 };
	struct stat info;

	if (fstat(folder, &info) < 0)
		return -errno;
	if ((mode & S_ISUID) || !S_ISDIR(info.st_mode))
		return refuse_set_id(call, path);
	const char *denied = denied_by(call->watch->options, path, true);
	if (denied && !run_made(path) && still_waits(call))
		return refuse_denied(call, "write", denied, path);
	const char *rule = refused_by(call->watch->options, path, ATTRIBUTE, false);
	if (rule && user_could(call, path, true, ATTRIBUTE) && still_waits(call))
		return refuse(call, "write", rule, path, -EACCES);
	report_change(call, path, ATTRIBUTE);
	return rule ? -EACCES : as_task(call, change_mode, &wanted);
}

int answer_set_id(const struct call *call)
{
	const struct write_call *found = find_write_call(call->data->nr);
	char resolved[PATH_MAX] = "";

	if (!found)
		return -EPERM;
	const struct operand *operand = &found->operands[0];
	look_at_places(call);
	int fd = take_operand(call, operand, resolved);
	if (fd < 0)
		return fd == A_GONE_FILE || fd == NOT_A_PATH ? -EPERM : fd;
	bool by_name = operand->path == 2 && operand->dirfd == 1;
	int result = answer_file(call, fd, resolved, (mode_t)call->data->args[by_name ? 2 : 1]);
	close(fd);
	return result;
}
