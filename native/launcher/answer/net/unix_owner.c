#define _GNU_SOURCE
#include "answer/net/unix_owner.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "answer/net/held_sockets.h"
#include "answer/net/net_lock.h"

int open_socket_diagnosis(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

	return fd < 0 ? -errno : fd;
}

static bool ask(int diag)
{
	struct {
		struct nlmsghdr header;
		struct unix_diag_req request;
	} message = {
		.header = { .nlmsg_len = sizeof(message),
			    .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.request = { .sdiag_family = AF_UNIX, .udiag_states = ~0u, .udiag_show = UDIAG_SHOW_VFS },
	};

	return send(diag, &message, sizeof(message), 0) == (ssize_t)sizeof(message);
}

/* The file system's device as netlink gives it: the kernel's own dev_t, 12 bits of major and 20 of minor. */
static bool is_inode(const struct unix_diag_vfs *vfs, const struct stat *info)
{
	return vfs->udiag_vfs_ino == (__u32)info->st_ino && vfs->udiag_vfs_dev >> 20 == major(info->st_dev) &&
	       (vfs->udiag_vfs_dev & 0xfffff) == minor(info->st_dev);
}

/* An accepted connection has the name of its listener, but no client reaches it by that name. If a server outside handed one
 * over as a stream, that server does not belong to the run. */
static bool is_accepted(const struct unix_diag_msg *message)
{
	return message->udiag_type != SOCK_DGRAM && message->udiag_state == TCP_ESTABLISHED;
}

static bool names_inode(const struct nlmsghdr *header, const struct stat *info)
{
	const struct unix_diag_msg *message = NLMSG_DATA(header);
	int length = (int)(header->nlmsg_len - NLMSG_LENGTH(sizeof(*message)));

	if (is_accepted(message))
		return false;
	for (const struct rtattr *attribute = (const struct rtattr *)(message + 1); RTA_OK(attribute, length);
	     attribute = RTA_NEXT(attribute, length))
		if (attribute->rta_type == UNIX_DIAG_VFS && is_inode(RTA_DATA(attribute), info))
			return true;
	return false;
}

/* Read the whole answer, so that the next request does not find the rest of it. OF_RUN: the socket was found. The caller then looks
 * which process holds it. */
static enum owner read_answer(int diag, const struct stat *info, struct socket_id *socket)
{
	char buffer[32768] __attribute__((aligned(NLMSG_ALIGNTO)));
	enum owner found = OF_ANOTHER;

	for (;;) {
		ssize_t size = recv(diag, buffer, sizeof(buffer), 0);
		if (size <= 0)
			return UNKNOWN_OWNER;
		int length = (int)size;
		for (struct nlmsghdr *header = (struct nlmsghdr *)buffer; NLMSG_OK(header, length);
		     header = NLMSG_NEXT(header, length)) {
			if (header->nlmsg_type == NLMSG_DONE)
				return found;
			if (header->nlmsg_type == NLMSG_ERROR)
				return UNKNOWN_OWNER;
			if (names_inode(header, info)) {
				const struct unix_diag_msg *message = NLMSG_DATA(header);
				*socket = (struct socket_id){ message->udiag_ino,
							      { message->udiag_cookie[0], message->udiag_cookie[1] } };
				found = OF_RUN;
			}
		}
	}
}

enum owner owner_of_socket(const struct watch *watch, const struct stat *info)
{
	struct socket_id socket;

	if (watch->diag < 0)
		return UNKNOWN_OWNER;
	lock_net();
	enum owner found = ask(watch->diag) ? read_answer(watch->diag, info, &socket) : UNKNOWN_OWNER;
	unlock_net();
	/* In a network namespace of its own every socket belongs to the run. Otherwise a process of the tree must hold it. */
	return found != OF_RUN || watch->options->network_namespace || tree_holds_socket(&socket) ? found : OF_ANOTHER;
}

bool is_of_own_namespace(const struct watch *watch, int socket)
{
	uint64_t of_run, of_socket;
	socklen_t length = sizeof(of_run), other_length = sizeof(of_socket);

	return watch->options->network_namespace &&
	       getsockopt(watch->diag, SOL_SOCKET, SO_NETNS_COOKIE, &of_run, &length) == 0 &&
	       getsockopt(socket, SOL_SOCKET, SO_NETNS_COOKIE, &of_socket, &other_length) == 0 && of_run == of_socket;
}
