/* New TCP sockets in the run's network namespace, which the relay is not in.
 *
 * A socket belongs to the namespace of the listener that accepted it, and connect(2) with AF_UNSPEC makes an accepted one like new
 * (Linux: net/ipv4/tcp.c, tcp_disconnect). So for each new socket the relay connects a client in that namespace to a listener in
 * it. A socket takes about 30 us. The relay makes some ahead while it is idle. */
#ifndef ION_NETWORK_FRESH_SOCKETS_H
#define ION_NETWORK_FRESH_SOCKETS_H

#include "network/relay.h"

/* Returns a descriptor, not blocking, or -errno. */
int take_fresh_socket(struct relay *relay, bool v4);

/* Makes one socket ahead. Returns false when there are enough. */
bool make_fresh_socket(struct relay *relay);

#endif
