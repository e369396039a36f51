#define _GNU_SOURCE
#include "answer/net/listeners.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#define LOOPBACK_INTERFACE 1 /* in every network namespace (Linux: include/net/flow.h, LOOPBACK_IFINDEX) */

/* Not a list of listeners, but the kernel's own search for the socket that gets a connection. It covers wildcards, IPv4 on
 * IPv6 sockets and bound devices (Linux: net/ipv4/inet_diag.c, inet_diag_find_one_icsk). It uses the endpoints as the listener
 * sees them. No client has port 0, so the search does not find a connection instead. */
static struct inet_diag_req_v2 question_for(const struct endpoint *endpoint)
{
	struct inet_diag_req_v2 question = {
		.sdiag_family = is_v4(endpoint) ? AF_INET : AF_INET6,
		.sdiag_protocol = IPPROTO_TCP,
		.idiag_states = 1u << TCP_LISTEN,
		.id = { .idiag_sport = endpoint->port,
			.idiag_if = LOOPBACK_INTERFACE,
			.idiag_cookie = { INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE } },
	};

	if (is_v4(endpoint))
		question.id.idiag_src[0] = endpoint->host.s6_addr32[3];
	else
		memcpy(question.id.idiag_src, &endpoint->host, sizeof(endpoint->host));
	memcpy(question.id.idiag_dst, question.id.idiag_src, sizeof(question.id.idiag_dst));
	return question;
}

static int read_answer(int diag, struct listener *found)
{
	char buffer[4096] __attribute__((aligned(NLMSG_ALIGNTO)));
	const struct nlmsghdr *header = (const struct nlmsghdr *)buffer;
	ssize_t size = recv(diag, buffer, sizeof(buffer), 0);

	if (size < 0)
		return -errno;
	if (!NLMSG_OK(header, (size_t)size))
		return -EIO;
	if (header->nlmsg_type == NLMSG_ERROR && header->nlmsg_len >= NLMSG_LENGTH(sizeof(struct nlmsgerr))) {
		int error = ((const struct nlmsgerr *)NLMSG_DATA(header))->error;
		return error ? error : -EIO;
	}
	const struct inet_diag_msg *message = NLMSG_DATA(header);
	if (header->nlmsg_type != SOCK_DIAG_BY_FAMILY || header->nlmsg_len < NLMSG_LENGTH(sizeof(*message)))
		return -EIO;
	const __u32 *cookie = message->id.idiag_cookie;
	*found = (struct listener){ { message->idiag_inode, { cookie[0], cookie[1] } }, message->idiag_family };
	return message->idiag_state == TCP_LISTEN ? 0 : -ENOENT;
}

int find_listener(int diag, const struct endpoint *endpoint, struct listener *found)
{
	struct {
		struct nlmsghdr header;
		struct inet_diag_req_v2 question;
	} message = {
		.header = { .nlmsg_len = sizeof(message),
			    .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			    .nlmsg_flags = NLM_F_REQUEST },
		.question = question_for(endpoint),
	};

	if (send(diag, &message, sizeof(message), 0) != (ssize_t)sizeof(message))
		return -errno;
	return read_answer(diag, found);
}

int try_listeners(int diag)
{
	union address address;
	struct endpoint endpoint;
	struct listener found;
	socklen_t length = write_endpoint(AF_INET, &loopback_v4, &address);
	int error = 0;

	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (bind(fd, &address.any, length) < 0 || listen(fd, 1) < 0 || getsockname(fd, &address.any, &length) < 0)
		error = -errno;
	if (!error && !(error = read_endpoint(AF_INET, &address, length, &endpoint)))
		error = find_listener(diag, &endpoint, &found);
	close(fd);
	return error;
}
