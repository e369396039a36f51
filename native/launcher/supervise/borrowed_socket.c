#define _GNU_SOURCE
#include "supervise/borrowed_socket.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel_abi.h"

/* Another process may have received the pid meanwhile, and its descriptor would be borrowed: check once more that the task
 * still waits. */
int take_descriptor(const struct call *call)
{
	pid_t process = process_of(call->task.pid);
	int pidfd = process < 0 ? process : (int)syscall(__NR_pidfd_open, process, 0);

	if (pidfd < 0)
		return -EACCES;
	int copy = (int)syscall(__NR_pidfd_getfd, pidfd, (int)call->data->args[0], 0);
	int error = errno;
	close(pidfd);
	if (copy < 0)
		return error == EBADF ? -EBADF : -EACCES;
	if (still_waits(call))
		return copy;
	close(copy);
	return -EACCES;
}

int socket_option(int socket, int option)
{
	int value = -1;
	socklen_t length = sizeof(value);

	return getsockopt(socket, SOL_SOCKET, option, &value, &length) < 0 ? -errno : value;
}
