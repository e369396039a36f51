/* Addresses: datagrams of the run. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/kernel_abi.h"
#include "answer/net/address.h"
#include "base/clock.h"
#include "answer/net/name_query.h"
#include "supervise/notify.h"
#include "answer/net/relayed.h"
#include "answer/net/sockets.h"
#include "report/violations.h"

#define DNS_PORT 53

/* A refused datagram to a name server is reported with the name in its query. A resolver that connects its socket first, as in
 * glibc, is refused before it sends a name. */
static int answer_datagram(const struct call *call, const union address *address, socklen_t length, struct iovec data)
{
	char name[QUERY_NAME], target[ADDRESS_TEXT + QUERY_NAME + 8];
	unsigned char message[QUERY_MAX];
	in_port_t port = address->any.sa_family == AF_INET ? address->in.sin_port : address->in6.sin6_port;

	if (call->watch->options->relay)
		return send_relayed(call, address, length);
	if (!refuses_internet(call->watch->options, address))
		return CONTINUE;
	show_address(address, length, target);
	size_t size = data.iov_len < sizeof(message) ? data.iov_len : sizeof(message);
	ssize_t count = ntohs(port) == DNS_PORT ?
				read_memory(&call->task, (uint64_t)(uintptr_t)data.iov_base, message, size) :
				0;
	if (count > 0 && read_query(message, (size_t)count, name))
		snprintf(target + strlen(target), QUERY_NAME + 8, " for %s", name);
	return refuse(call, "connect", "network", target, -ENETUNREACH);
}

/* Datagrams with an address are checked, not sent on behalf. Another thread can still swap the checked address. This is best
 * effort where Landlock does not resolve unix sockets itself (ABI 9). Sending them on behalf would not help: a message without
 * an address passes unchanged, and can get one meanwhile. So every sendmsg(2) of every socket, with its descriptors, would
 * have to be made here. */
static int answer_destination(const struct call *call, uint64_t pointer, socklen_t length, struct iovec data)
{
	union address address;
	int error = read_address(call, pointer, &length, &address);

	if (error)
		return error;
	/* Linux: net/ipv4/udp.c, udp_sendmsg. Other sockets take no such address. */
	if (address.any.sa_family == AF_UNSPEC)
		address.any.sa_family = AF_INET;
	if (is_internet(&address))
		return answer_datagram(call, &address, length, data);
	if (address.any.sa_family != AF_UNIX)
		return CONTINUE;
	if (!is_pathname(&address, length)) {
		bool kernel_decides = call->watch->options->network_namespace || call->watch->options->scoped;
		return !is_abstract(&address, length) || kernel_decides ? CONTINUE :
									   refuse_abstract(call, &address, length);
	}
	int target = find_unix_target(call, &address);
	if (target < 0)
		return target;
	close(target);
	return CONTINUE;
}

static int answer_message(const struct call *call, uint64_t pointer)
{
	struct msghdr header;
	struct iovec data = { NULL, 0 };

	if (read_memory(&call->task, pointer, &header, sizeof(header)) != sizeof(header))
		return -EFAULT;
	if (!header.msg_name || header.msg_namelen == 0)
		return CONTINUE;
	if (header.msg_iovlen > 0)
		(void)read_memory(&call->task, (uint64_t)(uintptr_t)header.msg_iov, &data, sizeof(data)); /* only to tell more */
	return answer_destination(call, (uint64_t)(uintptr_t)header.msg_name, header.msg_namelen, data);
}

#define MESSAGES_MAX 1024 /* UIO_MAXIOV: the kernel takes no more in one call */
#define MESSAGES_MS 100

int answer_send(const struct call *call)
{
	const __u64 *args = call->data->args;
	int result = CONTINUE;

	if (call->data->nr == __NR_sendto)
		return answer_destination(call, args[4], (socklen_t)args[5],
					 (struct iovec){ (void *)(uintptr_t)args[1], args[2] });
	if (call->data->nr == __NR_sendmsg)
		return answer_message(call, args[1]);
	/* Each message can name a path that takes long to resolve, and the supervisor serves no other call meanwhile. */
	const uint64_t until = milliseconds(CLOCK_MONOTONIC) + MESSAGES_MS;
	for (uint64_t i = 0; i < args[2] && i < MESSAGES_MAX && result == CONTINUE; i++)
		result = milliseconds(CLOCK_MONOTONIC) > until ? -ENOBUFS : answer_message(call, args[1] + i * sizeof(struct mmsghdr));
	return result;
}
