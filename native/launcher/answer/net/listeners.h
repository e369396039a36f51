/* Finds the socket that answers at an endpoint of the loopback. */
#ifndef ION_LISTENERS_H
#define ION_LISTENERS_H

#include "answer/net/endpoint.h"
#include "answer/net/held_sockets.h"

struct listener {
	struct socket_id id;
	int family; /* the socket's family: an AF_INET6 socket may answer at an IPv4 address */
};

/* The listener to which the kernel would give a connection from this machine. `diag` is a socket of unix_owner.h. Returns 0,
 * -ENOENT when there is no listener, or another -errno. */
int find_listener(int diag, const struct endpoint *endpoint, struct listener *found);

/* Check that this kernel can find listeners: without the module tcp_diag it finds none. Returns 0 or -errno. */
int try_listeners(int diag);

#endif
