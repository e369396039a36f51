/* How it is kept to servers of the run, on addresses that nobody beyond this machine reaches:
 *
 * - Every bind, listen, connect and shutdown of these sockets is made here, one after the other on the supervisor's only thread, but
 *   for connections under way, which have threads (blocking_call.h). So what was found out about a socket holds until it is acted on.
 * - Nobody else can listen where a socket of the run does: the filter refuses SO_REUSEPORT, without which the kernel lets no two share
 *   a place. While a connection to it is under way the supervisor has a descriptor of the listener: closed by its owner, it still
 *   listens. What else would end its listening waits (shutdown(2)) or is refused (dissolving it).
 * - Behind all of it Landlock (ABI 4) refuses TCP binds and connections of the run's own, should one come past this. */
#define _GNU_SOURCE
#include "answer/net/loopback.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervise/as_caller.h"
#include "supervise/blocking_call.h"
#include "answer/net/listeners.h"
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
static int find_either(int diag, bool both, struct place *place, struct listener *found)
{
	int error = find_listener(diag, place, found);
	struct place other = { loopback_v4.host, place->port };

	if (error != -ENOENT || !both || is_v4(place))
		return error;
	error = find_listener(diag, &other, found);
	if (error || found->family != AF_INET6)
		return error ? error : -ENOENT;
	*place = other;
	return 0;
}

/* A descriptor of the listener that a connection to `place` would reach, if it is the run's: -ENOENT when nobody listens there,
 * -EPERM when somebody outside does, or when the tree has too many descriptors to find out. A descriptor can go from one process of
 * the run to another while they are looked at. */
static int take_listener(const struct call *call, bool both, struct place *place)
{
	struct listener found;
	int taken = -ENOENT;

	for (int try = 0; try < TRIES && taken == -ENOENT; try++) {
		int error = find_either(call->watch->diag, both, place, &found);
		if (error)
			return error;
		taken = take_from_tree(&found.id);
	}
	return taken == -ENOENT || taken == -ETIMEDOUT ? -EPERM : taken;
}

/* connect(2) with AF_UNSPEC. A listener that is dissolved would give its place away under a connection that is on its way there. */
static int dissolve(int socket, const union address *address, socklen_t length)
{
	if (socket_option(socket, SO_ACCEPTCONN))
		return -EOPNOTSUPP;
	return connect(socket, &address->any, length) < 0 ? -errno : 0;
}

/* Whether, and to which of the run's listeners, a connection may be made. Returns its descriptor with `place` set, or -errno. */
static int judge_connection(const struct call *call, int socket, int domain, const union address *address, socklen_t length,
			    struct place *place)
{
	int error = read_place(domain, address, length, place);

	if (error)
		return error;
	if (is_connected(socket) || socket_option(socket, SO_ACCEPTCONN))
		return -EISCONN;
	if (is_under_way(socket))
		return -EALREADY;
	if (is_anywhere(place))
		place->host = is_v4(place) ? loopback_v4.host : loopback_v6.host;
	if (!is_on_loopback(place))
		return refuse_place(call, "connect", "network", address, length, -ENETUNREACH);
	int listener = take_listener(call, takes_v4(domain, socket), place);
	if (listener == -EPERM)
		return refuse_place(call, "connect", "outside-server", address, length, -ECONNREFUSED);
	return listener >= 0 ? listener : listener == -ENOENT ? -ECONNREFUSED : -EACCES;
}

int connect_loopback(const struct call *call, int socket, int domain, const union address *address, socklen_t length)
{
	bool dissolves = address->any.sa_family == AF_UNSPEC;
	union address there;
	struct place place;
	int listener = dissolves ? dissolve(socket, address, length) :
				   judge_connection(call, socket, domain, address, length, &place);

	if (dissolves || listener < 0) {
		close(socket);
		return listener;
	}
	length = write_place(domain, &place, &there);
	return connect_to_listener(call, socket, listener, &there.any, length);
}

void tell_outside_server(const struct call *call, int socket, int domain, const union address *address, socklen_t length)
{
	static int outside = -1; /* in the network namespace that the launcher has stayed in */
	char text[ADDRESS_TEXT];
	struct listener found;
	struct place place;

	if (socket_option(socket, SO_TYPE) != SOCK_STREAM || read_place(domain, address, length, &place) || !is_on_loopback(&place))
		return;
	bool both = takes_v4(domain, socket);
	if (find_either(call->watch->diag, both, &place, &found) != -ENOENT)
		return;
	if (outside < 0 && (outside = open_socket_diagnosis()) < 0)
		return;
	if (find_either(outside, both, &place, &found) != 0 || !still_waits(call))
		return;
	struct violation violation = { "connect", call->name, "outside-server", show_address(address, length, text), "" };
	report_violation(call, &violation);
}

static int read_own_place(int socket, int domain, struct place *place)
{
	union address address;
	socklen_t length = sizeof(address);

	return getsockname(socket, &address.any, &length) < 0 ? -errno : read_place(domain, &address, length, place);
}

static int bind_at(const struct call *call, int socket, int domain, const struct place *place)
{
	union address address;
	socklen_t length = write_place(domain, place, &address);

	return bind_as_caller(call, socket, &address.any, length);
}

/* For a server that asked for any address. Of both families, so that 127.0.0.1 reaches it; see find_either for ::1. */
static struct place anywhere_on_loopback(int domain, int socket, in_port_t port)
{
	return (struct place){ takes_v4(domain, socket) ? loopback_v4.host : loopback_v6.host, port };
}

/* Ports below 1024 stay refused to root too: the launcher has given that capability up. */
int bind_loopback(const struct call *call, int socket, int domain, const union address *address, socklen_t length)
{
	struct place place;
	int result = read_place(domain, address, length, &place);

	if (!result && is_anywhere(&place))
		place = anywhere_on_loopback(domain, socket, place.port);
	if (!result)
		result = is_on_loopback(&place) ?
				 bind_at(call, socket, domain, &place) :
				 refuse_place(call, "bind", "beyond-loopback", address, length, -EADDRNOTAVAIL);
	close(socket);
	return result;
}

static int listen_on_loopback(const struct call *call, int socket, int domain, int backlog)
{
	struct place place;

	/* One that fails would take its address along, between the look at it and listen(2). The kernel's own answer. */
	if (is_under_way(socket))
		return -EINVAL;
	int error = read_own_place(socket, domain, &place);
	/* The kernel would bind it to any address. */
	if (!error && is_anywhere(&place)) {
		place = anywhere_on_loopback(domain, socket, 0);
		error = bind_at(call, socket, domain, &place);
	}
	if (error)
		return error;
	if (!is_on_loopback(&place))
		return -EADDRNOTAVAIL;
	error = listen_as_caller(call, socket, backlog);
	if (error)
		return error;
	if (read_own_place(socket, domain, &place) == 0 && is_on_loopback(&place))
		return 0;
	shutdown(socket, SHUT_RDWR);
	return -EADDRNOTAVAIL;
}

int listen_loopback(const struct call *call, int socket, int domain, int backlog)
{
	int result = listen_on_loopback(call, socket, domain, backlog);

	close(socket);
	return result;
}
