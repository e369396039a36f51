/* One end of a TCP connection, whichever family its socket has. Reads addresses as a task gives them: any bytes. */
#ifndef ION_ENDPOINT_H
#define ION_ENDPOINT_H

#include "answer/net/address.h"

struct endpoint {
	struct in6_addr host; /* of IPv4 in its IPv6 form, as the kernel maps it */
	in_port_t port;       /* in network order */
};

/* The loopback's own addresses, and no port. */
extern const struct endpoint loopback_v4, loopback_v6;

/* The endpoint that an address means to a socket of family `domain` (AF_INET or AF_INET6). Returns 0, or the kernel's -errno
 * for an address that is too short or of another family. */
int read_endpoint(int domain, const union address *address, socklen_t length, struct endpoint *endpoint);

/* The reverse. `endpoint` is one that such a socket can have. Returns the length. */
socklen_t write_endpoint(int domain, const struct endpoint *endpoint, union address *address);

bool is_v4(const struct endpoint *endpoint);
bool is_anywhere(const struct endpoint *endpoint);
/* Whether it is a single address of the loopback. The wildcard address is not one. */
bool is_on_loopback(const struct endpoint *endpoint);

#endif
