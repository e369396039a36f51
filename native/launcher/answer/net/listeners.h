/* Which socket answers at a place of the loopback. */
#ifndef ION_LISTENERS_H
#define ION_LISTENERS_H

#include "answer/net/endpoint.h"
#include "answer/net/held_sockets.h"

struct listener {
	struct socket_id id;
	int family; /* of its socket: one of AF_INET6 may answer at an IPv4 address */
};

/* The listener that the kernel would hand a connection from this machine to. `diag` is a socket of unix_owner.h. Returns 0,
 * -ENOENT when nobody listens there, or another -errno. */
int find_listener(int diag, const struct place *place, struct listener *found);

/* Can listeners be found on this kernel? One that lacks the module tcp_diag knows none. Returns 0 or -errno. */
int try_listeners(int diag);

#endif
