#define _GNU_SOURCE
#include "network/fresh_sockets.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define ACCEPT_MS 200

static int disconnect(int fd)
{
	const struct sockaddr none = { .sa_family = AF_UNSPEC };
	int error = 0;
	socklen_t length = sizeof(error);

	if (connect(fd, &none, sizeof(none)) < 0)
		return -errno;
	/* The reset of the other end would otherwise be the result of the next call. */
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) < 0 ? -errno : 0;
}

/* Another process of the run can connect to the listener too: its end is as good as ours. */
static int make(const struct fresh *fresh)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	struct pollfd wait = { .fd = fresh->listener, .events = POLLIN };

	if (fresh->listener < 0 || getsockname(fresh->listener, (struct sockaddr *)&address, &length) < 0)
		return -EAFNOSUPPORT;
	if (connect(fresh->client, (struct sockaddr *)&address, length) < 0 && errno != EINPROGRESS)
		return -errno;
	int fd = accept4(fresh->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0 && errno == EAGAIN && poll(&wait, 1, ACCEPT_MS) > 0)
		fd = accept4(fresh->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	int error = fd < 0 ? -errno : 0;
	if (disconnect(fresh->client) < 0 || error)
		error = error ? error : -EIO;
	else
		error = disconnect(fd);
	if (!error)
		return fd;
	if (fd >= 0)
		close(fd);
	return error;
}

int take_fresh_socket(struct relay *relay, bool v4)
{
	struct fresh *fresh = &relay->fresh[v4 ? 0 : 1];

	return fresh->count > 0 ? fresh->sockets[--fresh->count] : make(fresh);
}

bool make_fresh_socket(struct relay *relay)
{
	for (int family = 0; family < 2; family++) {
		struct fresh *fresh = &relay->fresh[family];
		int fd = fresh->count < FRESH_MAX ? make(fresh) : -1;
		if (fd < 0)
			continue;
		fresh->sockets[fresh->count++] = fd;
		return true;
	}
	return false;
}
