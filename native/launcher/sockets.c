/* Addresses: connections and datagrams of the run. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "abi.h"
#include "errands.h"
#include "notify.h"
#include "own_sockets.h"
#include "violations.h"

union address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
	char bytes[sizeof(struct sockaddr_un) + 1];
};

#define ADDRESS_TEXT (INET6_ADDRSTRLEN + 16)

static const char *show_internet(const union address *address, char text[ADDRESS_TEXT])
{
	char host[INET6_ADDRSTRLEN] = "?";

	if (address->any.sa_family == AF_INET) {
		inet_ntop(AF_INET, &address->in.sin_addr, host, sizeof(host));
		snprintf(text, ADDRESS_TEXT, "%s:%u", host, ntohs(address->in.sin_port));
	} else {
		inet_ntop(AF_INET6, &address->in6.sin6_addr, host, sizeof(host));
		snprintf(text, ADDRESS_TEXT, "[%s]:%u", host, ntohs(address->in6.sin6_port));
	}
	return text;
}

static bool is_loopback(const union address *address)
{
	if (address->any.sa_family == AF_INET)
		return (ntohl(address->in.sin_addr.s_addr) >> 24) == 127 || address->in.sin_addr.s_addr == 0;
	const struct in6_addr *host = &address->in6.sin6_addr;
	return IN6_IS_ADDR_LOOPBACK(host) || IN6_IS_ADDR_UNSPECIFIED(host) ||
	       (IN6_IS_ADDR_V4MAPPED(host) && host->s6_addr[12] == 127);
}

static bool is_unspecified(const union address *address)
{
	if (address->any.sa_family == AF_INET)
		return address->in.sin_addr.s_addr == 0;
	return IN6_IS_ADDR_UNSPECIFIED(&address->in6.sin6_addr);
}

static int refuse(const struct call *call, const char *rule, const char *target, int error)
{
	struct violation violation = { "connect", call->name, rule, target, "" };

	report_violation(call->watch->control, &call->caller, &violation);
	return error;
}

/* Where a namespace is the boundary, this only says where the call wanted to go. */
static bool refuses_internet(const struct options *options, const union address *address)
{
	return options->network_namespace && !(options->loopback && is_loopback(address));
}

static int judge_internet(const struct call *call, const union address *address)
{
	char text[ADDRESS_TEXT];

	if (!refuses_internet(call->watch->options, address))
		return CONTINUE;
	return refuse(call, "network", show_internet(address, text), -ENETUNREACH);
}

/* The caller's socket. A pid that has been given to another process meanwhile would lead to that one's descriptor: ask
 * once more whether the caller still waits. */
static int take_socket(const struct call *call)
{
	pid_t process = process_of(call->caller.pid);
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

static int socket_option(int socket, int option)
{
	int value = -1;
	socklen_t length = sizeof(value);

	return getsockopt(socket, SOL_SOCKET, option, &value, &length) < 0 ? -errno : value;
}

static bool is_allowed(const struct options *options, const char *path)
{
	for (const char *const *allowed = options->unix_sockets; *allowed; allowed++)
		if (strcmp(*allowed, path) == 0)
			return true;
	return false;
}

static bool is_pathname(const union address *address, socklen_t length)
{
	return length > offsetof(struct sockaddr_un, sun_path) && address->un.sun_path[0] != '\0';
}

/* Does a socket file have no socket any more? A datagram socket that is connected to it tells, and whoever listens there does
 * not hear of it: EPROTOTYPE where there is one (unix(7)). What nobody serves is not refused: tmux then starts a server. */
static bool is_left_over(int target)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (probe < 0)
		return false;
	snprintf(un.sun_path, sizeof(un.sun_path), "/proc/self/fd/%d", target);
	bool refused = connect(probe, (struct sockaddr *)&un, sizeof(un)) < 0 && errno == ECONNREFUSED;
	close(probe);
	return refused;
}

/* The unix socket that a path leads to, as O_PATH, if the run may use it; else -errno, with the refusal told. */
static int find_unix_target(const struct call *call, const union address *address)
{
	char resolved[PATH_MAX];
	struct stat info;
	int fd = resolve(&call->caller, AT_FDCWD, address->un.sun_path, FOLLOW, resolved);

	if (fd == -ENOENT)
		return -ENOENT;
	if (fd < 0)
		return refuse(call, "unix-socket", address->un.sun_path, -EACCES);
	if (fstat(fd, &info) == 0 && S_ISSOCK(info.st_mode) &&
	    (is_allowed(call->watch->options, resolved) || is_own_socket(call->watch, &info)))
		return fd;
	bool nobody = !S_ISSOCK(info.st_mode) || is_left_over(fd);
	close(fd);
	return nobody ? -ECONNREFUSED : refuse(call, "unix-socket", resolved, -EACCES);
}

/* An abstract name belongs to the socket's network namespace. The launcher is in no Landlock scope: without a namespace
 * of the run's own it could reach what the caller may not. */
static int judge_unix_connect(const struct call *call, int socket, const union address *address, socklen_t length)
{
	int target = -1;

	if (is_pathname(address, length)) {
		target = find_unix_target(call, address);
	} else if (length > offsetof(struct sockaddr_un, sun_path) && !call->watch->options->network_namespace) {
		target = refuse(call, "unix-socket", "(abstract)", -EACCES);
	}
	if (target < -1 || (target == -1 && is_pathname(address, length))) {
		close(socket);
		return target;
	}
	return connect_on_behalf(call, socket, target, &address->any, length);
}

/* Copy an address. Memory that cannot be read is refused: what the kernel would read there, nobody has looked at. */
static int read_address(const struct call *call, uint64_t pointer, socklen_t *length, union address *address)
{
	memset(address, 0, sizeof(*address));
	if (*length > sizeof(struct sockaddr_storage))
		return -EINVAL;
	if (*length > sizeof(struct sockaddr_un))
		*length = sizeof(struct sockaddr_un);
	if (*length < sizeof(sa_family_t))
		return -EINVAL;
	return read_memory(&call->caller, pointer, address->bytes, *length) == (ssize_t)*length ? 0 : -EFAULT;
}

/* getaddrinfo(3) sorts what it found by connecting datagram sockets, also for a server that is to listen: nobody meant to
 * reach anything. */
static bool is_probe(int socket, const union address *address)
{
	bool no_port = (address->any.sa_family == AF_INET ? address->in.sin_port : address->in6.sin6_port) == 0;

	return socket_option(socket, SO_TYPE) == SOCK_DGRAM && (no_port || is_unspecified(address));
}

int judge_connect(const struct call *call)
{
	union address address;
	socklen_t length = (socklen_t)call->data->args[2];
	int error = read_address(call, call->data->args[1], &length, &address);

	if (error)
		return error;
	int socket = take_socket(call);
	/* Where descriptors cannot be taken (default Docker): the network is not looked at by address, unix sockets are closed. */
	if (socket == -EACCES && (address.any.sa_family == AF_INET || address.any.sa_family == AF_INET6))
		return still_waits(call) ? judge_internet(call, &address) : -EACCES;
	if (socket < 0)
		return socket;
	int domain = socket_option(socket, SO_DOMAIN);
	/* AF_UNSPEC dissolves an association: harmless, and made on behalf like all others. */
	if (domain == AF_UNIX && address.any.sa_family == AF_UNIX)
		return judge_unix_connect(call, socket, &address, length);
	if ((domain == AF_INET || domain == AF_INET6) && address.any.sa_family != AF_UNSPEC) {
		if (is_probe(socket, &address) && refuses_internet(call->watch->options, &address))
			error = -ENETUNREACH;
		else
			error = judge_internet(call, &address);
		if (error != CONTINUE) {
			close(socket);
			return error;
		}
	}
	return connect_on_behalf(call, socket, -1, &address.any, length);
}

/* Asked about only where nobody may listen. Refused here in order to be told; what cannot be looked at, the kernel refuses. */
int judge_bind(const struct call *call)
{
	union address address;
	char text[ADDRESS_TEXT];
	socklen_t length = (socklen_t)call->data->args[2];

	if (read_address(call, call->data->args[1], &length, &address))
		return CONTINUE;
	if (address.any.sa_family != AF_INET && address.any.sa_family != AF_INET6)
		return CONTINUE;
	int socket = take_socket(call);
	if (socket < 0)
		return CONTINUE;
	int domain = socket_option(socket, SO_DOMAIN);
	int type = socket_option(socket, SO_TYPE);
	close(socket);
	if ((domain != AF_INET && domain != AF_INET6) || type != SOCK_STREAM)
		return CONTINUE;
	struct violation violation = { "bind", call->name, "loopback", show_internet(&address, text), "" };
	report_violation(call->watch->control, &call->caller, &violation);
	return -EACCES;
}

/* Datagrams with an address: looked at, not sent on behalf. Another thread can still swap what was looked at; this is
 * best effort where Landlock does not resolve unix sockets itself (ABI 9). Sending those with an address on behalf would close
 * nothing: a message without one, which goes on as it is, can get one meanwhile, so that every sendmsg(2) of every socket, with the
 * descriptors that it carries, would have to be made here. */
static int judge_destination(const struct call *call, uint64_t pointer, socklen_t length)
{
	union address address;
	int error = read_address(call, pointer, &length, &address);

	if (error)
		return error;
	if (address.any.sa_family == AF_INET || address.any.sa_family == AF_INET6)
		return judge_internet(call, &address);
	if (address.any.sa_family != AF_UNIX)
		return CONTINUE;
	if (!is_pathname(&address, length)) {
		bool named = length > offsetof(struct sockaddr_un, sun_path);
		bool kernel_decides = call->watch->options->network_namespace || call->watch->options->scoped;
		return !named || kernel_decides ? CONTINUE : refuse(call, "unix-socket", "(abstract)", -EACCES);
	}
	int target = find_unix_target(call, &address);
	if (target < 0)
		return target;
	close(target);
	return CONTINUE;
}

static int judge_message(const struct call *call, uint64_t pointer)
{
	struct msghdr header;

	if (read_memory(&call->caller, pointer, &header, sizeof(header)) != sizeof(header))
		return -EFAULT;
	if (!header.msg_name || header.msg_namelen == 0)
		return CONTINUE;
	return judge_destination(call, (uint64_t)(uintptr_t)header.msg_name, header.msg_namelen);
}

#define MESSAGES_MAX 1024 /* UIO_MAXIOV: the kernel takes no more in one call */

int judge_send(const struct call *call)
{
	const __u64 *args = call->data->args;
	int result = CONTINUE;

	if (call->data->nr == __NR_sendto)
		return judge_destination(call, args[4], (socklen_t)args[5]);
	if (call->data->nr == __NR_sendmsg)
		return judge_message(call, args[1]);
	for (uint64_t i = 0; i < args[2] && i < MESSAGES_MAX && result == CONTINUE; i++)
		result = judge_message(call, args[1] + i * sizeof(struct mmsghdr));
	return result;
}
