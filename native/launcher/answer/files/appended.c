#define _GNU_SOURCE
#include "answer/files/appended.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervise/as_task.h"
#include "confine/given_streams.h"
#include "supervise/borrowed_socket.h"
#include "report/violations.h"

static int refuse_stream(const struct call *call, int stream)
{
	return refuse(call, "write", "stream-appended", stream_name(stream), -EACCES);
}

static int open_stream(void *argument)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", *(int *)argument);
	int fd = open(link, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

/* Drops O_TRUNC: `> /dev/stderr` only names the place for a message. It is not a request to empty the log. */
int open_appended(const struct call *call, int stream, uint64_t flags)
{
	if ((flags & O_ACCMODE) != O_WRONLY)
		return refuse_stream(call, stream);
	int fd = as_task(call, open_stream, &stream);
	return fd < 0 ? fd : give_descriptor(call, fd, flags);
}

/* The number of the stream that is the task's descriptor `fd`, or -1. Best effort where descriptors cannot be borrowed. */
static int stream_of(const struct call *call)
{
	char link[64];
	struct stat info;

	snprintf(link, sizeof(link), "/proc/%d/fd/%d", call->task.pid, (int)call->data->args[0]);
	return stat(link, &info) == 0 ? appended_stream(&info) : -1;
}

/* The supervisor makes the call on the file that it checked. Another thread may replace the descriptor meanwhile. */
static int truncate_borrowed(const struct call *call, int fd, off_t length)
{
	struct rlimit limit;
	struct stat info;

	if (fstat(fd, &info) < 0)
		return -errno;
	int stream = appended_stream(&info);
	if (stream >= 0)
		return refuse_stream(call, stream);
	if (prlimit(call->task.pid, RLIMIT_FSIZE, NULL, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    length > 0 && (rlim_t)length > limit.rlim_cur)
		return -EFBIG;
	return ftruncate(fd, length) < 0 ? -errno : 0;
}

int answer_ftruncate(const struct call *call)
{
	int fd = take_descriptor(call);

	if (fd == -EACCES) {
		int stream = stream_of(call);
		return stream < 0 ? CONTINUE : refuse_stream(call, stream);
	}
	if (fd < 0)
		return fd;
	int result = truncate_borrowed(call, fd, (off_t)call->data->args[1]);
	close(fd);
	return result;
}

struct flags {
	int fd, flags;
};

static int set_flags(void *argument)
{
	const struct flags *wanted = argument;

	return fcntl(wanted->fd, F_SETFL, wanted->flags) < 0 ? -errno : 0;
}

/* fcntl(2) with F_SETFL but without O_APPEND: sets all flags except that one. */
int answer_flags(const struct call *call)
{
	struct flags wanted = { take_descriptor(call), (int)call->data->args[2] };
	struct stat info;

	if (wanted.fd == -EACCES)
		return stream_of(call) < 0 ? CONTINUE : 0;
	if (wanted.fd < 0)
		return wanted.fd;
	if (fstat(wanted.fd, &info) == 0 && appended_stream(&info) >= 0)
		wanted.flags |= O_APPEND;
	int result = as_task(call, set_flags, &wanted);
	close(wanted.fd);
	return result;
}
