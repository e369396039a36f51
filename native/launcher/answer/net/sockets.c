/* Addresses: connections and listeners of the run. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/kernel_abi.h"
#include "answer/net/address.h"
#include "supervise/as_task.h"
#include "supervise/blocking_call.h"
#include "answer/net/loopback.h"
#include "supervise/notify.h"
#include "answer/net/net_lock.h"
#include "answer/net/relayed.h"
#include "answer/net/unix_owner.h"
#include "paths/resolve.h"
#include "answer/net/sockets.h"
#include "supervise/borrowed_socket.h"
#include "report/violations.h"

bool refuses_internet(const struct options *options, const union address *address)
{
	if (options->relay)
		return false;
	if (options->network_namespace)
		return !(options->loopback && is_loopback(address));
	if (options->network == NETWORK_LOOPBACK)
		return !is_loopback(address);
	return options->network == NETWORK_NONE;
}

/* An internet socket that was given to the run, while the run itself can make none that reaches as far. */
static bool is_handed_over(const struct watch *watch, int socket)
{
	if (watch->options->network_namespace)
		return !is_of_own_namespace(watch, socket);
	return watch->options->network == NETWORK_NONE;
}

static int answer_internet(const struct call *call, const union address *address, socklen_t length)
{
	char text[ADDRESS_TEXT];

	if (!refuses_internet(call->watch->options, address))
		return CONTINUE;
	return refuse(call, "connect", "network", show_address(address, length, text), -ENETUNREACH);
}

static bool is_allowed(const struct options *options, const char *path)
{
	for (const char *const *allowed = options->unix_sockets; *allowed; allowed++)
		if (strcmp(*allowed, path) == 0)
			return true;
	return false;
}

/* Whether a socket file has lost its socket. connect(2) of a datagram socket shows it, and the listener does not notice: it
 * fails with EPROTOTYPE if there is a stream socket (unix(7)). A socket file without a server is not refused: tmux then
 * starts a server. */
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

int find_unix_target(const struct call *call, const union address *address)
{
	char resolved[PATH_MAX];
	struct stat info;
	enum owner owner = OF_ANOTHER;
	int fd = resolve(&call->task, AT_FDCWD, address->un.sun_path, FOLLOW, resolved);

	if (fd == -ENOENT)
		return -ENOENT;
	if (fd < 0)
		return refuse(call, "connect", "unix-socket", address->un.sun_path, -EACCES);
	if (fstat(fd, &info) == 0 && S_ISSOCK(info.st_mode) &&
	    (is_allowed(call->watch->options, resolved) || (owner = owner_of_socket(call->watch, &info)) == OF_RUN)) {
		int error = reach_as_task(call, resolved, address->un.sun_path, fd);
		if (!error)
			return fd;
		close(fd);
		return error;
	}
	bool nobody = !S_ISSOCK(info.st_mode) || is_left_over(fd);
	close(fd);
	const char *rule = owner == UNKNOWN_OWNER ? "unknown-socket" : "unix-socket";
	return nobody ? -ECONNREFUSED : refuse(call, "connect", rule, resolved, -EACCES);
}

int refuse_abstract(const struct call *call, const union address *address, socklen_t length)
{
	char text[ADDRESS_TEXT];

	return refuse(call, "connect", "unix-socket", show_address(address, length, text), -EACCES);
}

/* An abstract name belongs to the socket's network namespace. The launcher is in no Landlock scope: without a namespace of the
 * run's own it could reach a socket that the task may not. */
static int answer_unix_connect(const struct call *call, int socket, const union address *address, socklen_t length)
{
	int target = -1;

	if (is_pathname(address, length)) {
		target = find_unix_target(call, address);
	} else if (is_abstract(address, length) && !is_of_own_namespace(call->watch, socket)) {
		target = refuse_abstract(call, address, length);
	}
	if (target < -1 || (target == -1 && is_pathname(address, length))) {
		close(socket);
		return target;
	}
	return connect_on_behalf(call, socket, target, &address->any, length);
}

int read_address(const struct call *call, uint64_t pointer, socklen_t *length, union address *address)
{
	memset(address, 0, sizeof(*address));
	*length = address_length(*length);
	if (*length == 0)
		return -EINVAL;
	return read_memory(&call->task, pointer, address->bytes, *length) == (ssize_t)*length ? 0 : -EFAULT;
}

/* getaddrinfo(3) connects datagram sockets to sort its results, even for a server that will listen. This is not an attempt to reach
 * a host. */
static bool is_probe(int socket, const union address *address)
{
	bool no_port = (address->any.sa_family == AF_INET ? address->in.sin_port : address->in6.sin6_port) == 0;

	return socket_option(socket, SO_TYPE) == SOCK_DGRAM && (no_port || is_unspecified(address));
}

static bool is_internet_socket(int domain)
{
	return domain == AF_INET || domain == AF_INET6;
}

static bool is_loopback_shared(const struct call *call)
{
	return call->watch->options->network == NETWORK_LOOPBACK;
}

/* Where the loopback is shared, the filter refuses other internet sockets. An inherited one stays as it is. */
static bool is_tcp(int socket, int domain)
{
	return is_internet_socket(domain) && socket_option(socket, SO_PROTOCOL) == IPPROTO_TCP;
}

int answer_connect(const struct call *call)
{
	union address address;
	socklen_t length = (socklen_t)call->data->args[2];
	int error = read_address(call, call->data->args[1], &length, &address);

	if (error)
		return error;
	int socket = take_descriptor(call);
	/* Where descriptors cannot be borrowed (default Docker): internet addresses are not checked, and unix sockets are
	 * closed. */
	if (socket == -EACCES && is_internet(&address) && !is_loopback_shared(call))
		return still_waits(call) ? answer_internet(call, &address, length) : -EACCES;
	if (socket < 0)
		return socket;
	int domain = socket_option(socket, SO_DOMAIN);
	/* AF_UNSPEC dissolves an association. It is made on behalf like all others. The same goes for families other than the
	 * socket's: the kernel has its own answer. An inherited connection could be connected elsewhere after it, or listen:
	 * Landlock has no rule for a port that listen(2) chooses. */
	if (is_internet_socket(domain) && address.any.sa_family == AF_UNSPEC && is_handed_over(call->watch, socket)) {
		close(socket);
		return refuse(call, "connect", "network", "(a socket that was handed over, without its connection)", -EPERM);
	}
	if (domain == AF_UNIX && address.any.sa_family == AF_UNIX)
		return answer_unix_connect(call, socket, &address, length);
	if (is_loopback_shared(call) && is_tcp(socket, domain))
		return connect_loopback(call, socket, domain, &address, length);
	if (is_internet_socket(domain) && is_internet(&address)) {
		if (is_probe(socket, &address) && refuses_internet(call->watch->options, &address))
			error = -ENETUNREACH;
		else
			error = answer_internet(call, &address, length);
		if (error != CONTINUE) {
			close(socket);
			return error;
		}
		if (call->watch->options->network_namespace)
			report_outside_server(call, socket, domain, &address, length);
		if (call->watch->options->relay && (error = connect_relayed(call, socket, domain, &address, length)) != CONTINUE)
			return error;
	}
	return connect_on_behalf(call, socket, -1, &address.any, length);
}

/* The kernel binds other sockets, because it knows the task's folder and umask. If an internet socket is put in their place
 * meanwhile, Landlock refuses it. */
static int bind_on_shared_loopback(const struct call *call)
{
	union address address;
	socklen_t length = (socklen_t)call->data->args[2];
	int socket = take_descriptor(call);

	if (socket < 0)
		return socket;
	int domain = socket_option(socket, SO_DOMAIN);
	int error = is_tcp(socket, domain) ? read_address(call, call->data->args[1], &length, &address) : CONTINUE;
	if (!error)
		return bind_loopback(call, socket, domain, &address, length);
	close(socket);
	return error;
}

/* Refused here, so that it is reported. */
static int report_bind(const struct call *call, const union address *address, socklen_t length)
{
	char text[ADDRESS_TEXT];
	int socket = take_descriptor(call);

	if (socket < 0)
		return CONTINUE;
	int domain = socket_option(socket, SO_DOMAIN);
	int type = socket_option(socket, SO_TYPE);
	close(socket);
	if (!is_internet_socket(domain) || type != SOCK_STREAM)
		return CONTINUE;
	return refuse(call, "bind", "loopback", show_address(address, length, text), -EACCES);
}

static int answer_address(const struct call *call)
{
	const struct options *options = call->watch->options;
	union address address;
	socklen_t length = (socklen_t)call->data->args[2];

	int error = read_address(call, call->data->args[1], &length, &address);
	if (error)
		return error;
	if (address.any.sa_family == AF_UNIX && is_pathname(&address, length))
		return answer_socket_file(call, address.un.sun_path);
	bool no_listener = options->network_namespace && (!options->loopback || options->closed_servers);
	return no_listener && is_internet(&address) ? report_bind(call, &address, length) : CONTINUE;
}

/* Handles a new socket file, and a port where the run may not listen, or not at every address. */
int answer_bind(const struct call *call)
{
	int result = answer_address(call);

	return result == CONTINUE && is_loopback_shared(call) ? bind_on_shared_loopback(call) : result;
}

/* The launcher also makes the call for unix sockets. Otherwise another thread could replace the socket with an internet socket,
 * and the kernel would bind that to any address, without a check by Landlock. A side effect: to a client of the unix socket,
 * SO_PEERCRED names the launcher, a process of the same user. */
int answer_listen(const struct call *call)
{
	int socket = take_descriptor(call);
	int backlog = (int)call->data->args[1];

	if (socket < 0)
		return socket;
	int domain = socket_option(socket, SO_DOMAIN);
	if (is_tcp(socket, domain))
		return listen_loopback(call, socket, domain, backlog);
	int result = listen_as_task(call, socket, backlog);
	close(socket);
	return result;
}

int answer_shutdown(const struct call *call)
{
	int socket = take_descriptor(call);

	if (socket < 0)
		return socket;
	lock_net();
	int result = shutdown_on_behalf(call, socket, (int)call->data->args[1]);
	unlock_net();
	return result;
}
