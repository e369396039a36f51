/* How connections are limited to servers of the run, on addresses that no other machine can reach:
 *
 * - The supervisor makes every bind, listen, connect and shutdown of these sockets, one after the other (net_lock.h). Connections
 *   under way have threads of their own (blocking_call.h). So a checked property of a socket holds until the call is made.
 * - No other process can listen at an endpoint of the run: the filter refuses SO_REUSEPORT, and without it the kernel lets no two
 *   sockets share an endpoint. While a connection to it is under way the supervisor holds a descriptor of the listener: if its
 *   owner closes it, it still listens. Other ways to end the listening wait (shutdown(2)) or are refused (dissolving it).
 * - As a second boundary Landlock (ABI 4) refuses TCP binds and connections that the run itself makes. */
#define _GNU_SOURCE
#include "answer/net/loopback.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervise/as_task.h"
#include "supervise/blocking_call.h"
#include "answer/net/listeners.h"
#include "answer/net/net_lock.h"
#include "answer/net/unix_owner.h"
#include "supervise/borrowed_socket.h"
#include "answer/net/held_sockets.h"
#include "report/violations.h"

#define TRIES 3

static int refuse_place(const struct call *call, const char *kind, const char *rule, const union address *address,
			socklen_t length, int error)
{
	char text[ADDRESS_TEXT];

	return refuse(call, kind, rule, show_address(address, length, text), error);
}

static bool is_connected(int socket)
{
	union address peer;
	socklen_t length = sizeof(peer);

	return getpeername(socket, &peer.any, &length) == 0;
}

static bool takes_v4(int domain, int socket)
{
	int only_v6 = 1;
	socklen_t length = sizeof(only_v6);

	if (domain == AF_INET)
		return true;
	return getsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &only_v6, &length) == 0 && !only_v6;
}

/* A server that asked for any address of IPv6 listens at 127.0.0.1 (see bind_loopback), where `localhost` as ::1 does not lead. */
static int find_either(int diag, bool both, struct endpoint *endpoint, struct listener *found)
{
	int error = find_listener(diag, endpoint, found);
	struct endpoint other = { loopback_v4.host, endpoint->port };

	if (error != -ENOENT || !both || is_v4(endpoint))
		return error;
	error = find_listener(diag, &other, found);
	if (error || found->family != AF_INET6)
		return error ? error : -ENOENT;
	*endpoint = other;
	return 0;
}

/* A descriptor of the listener that a connection to `endpoint` would reach, if it belongs to the run. -ENOENT: there is none.
 * -EPERM: it belongs to a process outside, or the tree has too many descriptors to search. A descriptor can move from one process
 * of the run to another during the search. */
static int take_listener(const struct call *call, bool both, struct endpoint *endpoint)
{
	struct listener found;
	int borrowed = -ENOENT;

	for (int try = 0; try < TRIES && borrowed == -ENOENT; try++) {
		int error = find_either(call->watch->diag, both, endpoint, &found);
		if (error)
			return error;
		borrowed = borrow_from_tree(&found.id);
	}
	return borrowed == -ENOENT || borrowed == -ETIMEDOUT ? -EPERM : borrowed;
}

/* connect(2) with AF_UNSPEC. A dissolved listener would release its endpoint while a connection is on its way there. */
static int dissolve(int socket, const union address *address, socklen_t length)
{
	if (socket_option(socket, SO_ACCEPTCONN))
		return -EOPNOTSUPP;
	return connect(socket, &address->any, length) < 0 ? -errno : 0;
}

/* Checks whether a connection may be made, and to which of the run's listeners. Returns its descriptor and sets `endpoint`, or
 * returns -errno. */
static int answer_connection(const struct call *call, int socket, int domain, const union address *address, socklen_t length,
			    struct endpoint *endpoint)
{
	int error = read_endpoint(domain, address, length, endpoint);

	if (error)
		return error;
	if (is_connected(socket) || socket_option(socket, SO_ACCEPTCONN))
		return -EISCONN;
	if (is_under_way(socket))
		return -EALREADY;
	if (is_anywhere(endpoint))
		endpoint->host = is_v4(endpoint) ? loopback_v4.host : loopback_v6.host;
	if (!is_on_loopback(endpoint))
		return refuse_place(call, "connect", "network", address, length, -ENETUNREACH);
	int listener = take_listener(call, takes_v4(domain, socket), endpoint);
	if (listener == -EPERM)
		return refuse_place(call, "connect", "outside-server", address, length, -ECONNREFUSED);
	return listener >= 0 ? listener : listener == -ENOENT ? -ECONNREFUSED : -EACCES;
}

int connect_loopback(const struct call *call, int socket, int domain, const union address *address, socklen_t length)
{
	bool dissolves = address->any.sa_family == AF_UNSPEC;
	union address there;
	struct endpoint endpoint;

	lock_net();
	int result = dissolves ? dissolve(socket, address, length) :
				 answer_connection(call, socket, domain, address, length, &endpoint);
	if (dissolves || result < 0) {
		close(socket);
	} else {
		length = write_endpoint(domain, &endpoint, &there);
		result = connect_to_listener(call, socket, result, &there.any, length);
	}
	unlock_net();
	return result;
}

/* Whether a server outside listens at `endpoint`, and none inside does. */
static bool listens_only_outside(int diag, bool both, struct endpoint *endpoint)
{
	static int outside = -1; /* in the network namespace in which the launcher has stayed */
	struct listener found;

	if (find_either(diag, both, endpoint, &found) != -ENOENT)
		return false;
	if (outside < 0 && (outside = open_socket_diagnosis()) < 0)
		return false;
	return find_either(outside, both, endpoint, &found) == 0;
}

void report_outside_server(const struct call *call, int socket, int domain, const union address *address, socklen_t length)
{
	char text[ADDRESS_TEXT];
	struct endpoint endpoint;

	if (socket_option(socket, SO_TYPE) != SOCK_STREAM || read_endpoint(domain, address, length, &endpoint) || !is_on_loopback(&endpoint))
		return;
	lock_net();
	bool outside = listens_only_outside(call->watch->diag, takes_v4(domain, socket), &endpoint);
	unlock_net();
	if (!outside || !still_waits(call))
		return;
	struct violation violation = { "connect", call->name, "outside-server", show_address(address, length, text), "" };
	report_violation(call, &violation);
}

static int read_own_place(int socket, int domain, struct endpoint *endpoint)
{
	union address address;
	socklen_t length = sizeof(address);

	return getsockname(socket, &address.any, &length) < 0 ? -errno : read_endpoint(domain, &address, length, endpoint);
}

static int bind_at(const struct call *call, int socket, int domain, const struct endpoint *endpoint)
{
	union address address;
	socklen_t length = write_endpoint(domain, endpoint, &address);

	return bind_as_task(call, socket, &address.any, length);
}

/* For a server that asked for any address. Binds for both families, so that 127.0.0.1 reaches it; see find_either for ::1. */
static struct endpoint anywhere_on_loopback(int domain, int socket, in_port_t port)
{
	return (struct endpoint){ takes_v4(domain, socket) ? loopback_v4.host : loopback_v6.host, port };
}

/* Ports below 1024 stay refused to root too: the launcher has dropped that capability. */
int bind_loopback(const struct call *call, int socket, int domain, const union address *address, socklen_t length)
{
	struct endpoint endpoint;
	int result = read_endpoint(domain, address, length, &endpoint);

	if (!result && is_anywhere(&endpoint))
		endpoint = anywhere_on_loopback(domain, socket, endpoint.port);
	lock_net();
	if (!result)
		result = is_on_loopback(&endpoint) ?
				 bind_at(call, socket, domain, &endpoint) :
				 refuse_place(call, "bind", "beyond-loopback", address, length, -EADDRNOTAVAIL);
	unlock_net();
	close(socket);
	return result;
}

static int listen_on_loopback(const struct call *call, int socket, int domain, int backlog)
{
	struct endpoint endpoint;

	/* A socket that fails would release its address between the check and listen(2). This is the kernel's own answer. */
	if (is_under_way(socket))
		return -EINVAL;
	int error = read_own_place(socket, domain, &endpoint);
	/* The kernel would bind it to any address. */
	if (!error && is_anywhere(&endpoint)) {
		endpoint = anywhere_on_loopback(domain, socket, 0);
		error = bind_at(call, socket, domain, &endpoint);
	}
	if (error)
		return error;
	if (!is_on_loopback(&endpoint))
		return -EADDRNOTAVAIL;
	error = listen_as_task(call, socket, backlog);
	if (error)
		return error;
	if (read_own_place(socket, domain, &endpoint) == 0 && is_on_loopback(&endpoint))
		return 0;
	shutdown(socket, SHUT_RDWR);
	return -EADDRNOTAVAIL;
}

int listen_loopback(const struct call *call, int socket, int domain, int backlog)
{
	lock_net();
	int result = listen_on_loopback(call, socket, domain, backlog);
	unlock_net();
	close(socket);
	return result;
}
