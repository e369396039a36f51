/* Addresses of the run's network namespace: its own, and those that an allowed name led to. */
#ifndef ION_NETWORK_ROUTES_H
#define ION_NETWORK_ROUTES_H

#include <netinet/in.h>
#include <stdbool.h>

int open_routes(void);

/* Give the loopback interface 192.0.2.1 and 2001:db8::1: where no other address exists, getaddrinfo(3) hides all answers of the
 * family (AI_ADDRCONFIG). The first one is the source of connections to local routes. Returns 0 or -errno. */
int add_own_addresses(int routes);

/* Make the network `host`/`bits` (of 128) local: connections to it end in this namespace. Returns 0 or -errno. */
int add_local_route(int routes, const struct in6_addr *host, unsigned bits);

#endif
