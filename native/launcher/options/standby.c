#define _GNU_SOURCE
#include "options/standby.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "supervise/supervise.h"

#define DESCRIPTORS_MAX 8

static ssize_t receive(int control, struct msghdr *message)
{
	ssize_t length;

	do
		length = recvmsg(control, message, MSG_CMSG_CLOEXEC);
	while (length < 0 && errno == EINTR);
	return length;
}

/* First a copy above all targets, so that no target overwrites a descriptor that still has to be copied. */
static int place(const int *received, size_t count, int control)
{
	int copies[DESCRIPTORS_MAX];

	for (size_t i = 0; i < count; i++) {
		copies[i] = fcntl(received[i], F_DUPFD_CLOEXEC, ABOVE_ALL_PLACES);
		if (copies[i] < 0)
			return -errno;
		close(received[i]);
	}
	for (size_t i = 0; i < count; i++) {
		if (dup2(copies[i], (int)i < control ? (int)i : (int)i + 1) < 0)
			return -errno;
		close(copies[i]);
	}
	return 0;
}

static int take_descriptors(int control, size_t least, size_t most)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(DESCRIPTORS_MAX * sizeof(int))];
	} rights;
	char byte;
	struct iovec data = { &byte, 1 };
	struct msghdr message = { .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = &rights,
				  .msg_controllen = sizeof(rights) };
	int received[DESCRIPTORS_MAX];
	ssize_t length = receive(control, &message);

	if (length <= 0)
		return length < 0 ? -errno : -ECONNRESET;
	const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	if (!header || header->cmsg_type != SCM_RIGHTS || message.msg_flags & MSG_CTRUNC)
		return -EBADMSG;
	const size_t sent = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	if (sent > DESCRIPTORS_MAX || (sent != least && sent != most))
		return -EBADMSG;
	memcpy(received, CMSG_DATA(header), sent * sizeof(int));
	return place(received, sent, control);
}

/* A signal that arrives before the command was meant for the process group, and this launcher is not yet part of its work. As soon
 * as ion has sent the command, it passes signals on: they are for the command then. */
int wait_for_command(int control, size_t least, size_t most)
{
	struct signalfd_siginfo info[16];
	sigset_t supervised;

	supervised_signals(&supervised);
	int signals = signalfd(-1, &supervised, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0)
		return -errno;
	struct pollfd waits[] = { { .fd = control, .events = POLLIN }, { .fd = signals, .events = POLLIN } };
	while (!waits[0].revents) {
		if (poll(waits, 2, -1) < 0 && errno != EINTR)
			break; /* recvmsg waits as well */
		if (!waits[0].revents && read(signals, info, sizeof(info)) < 0 && errno != EAGAIN && errno != EINTR)
			break;
	}
	close(signals);
	return take_descriptors(control, least, most);
}
