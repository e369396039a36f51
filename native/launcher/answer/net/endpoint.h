/* One end of a TCP connection, whichever family its socket has. Reads addresses as a caller gives them: any bytes. */
#ifndef ION_ENDPOINT_H
#define ION_ENDPOINT_H

#include "answer/net/address.h"

struct place {
	struct in6_addr host; /* of IPv4 in its IPv6 form, as the kernel maps it */
	in_port_t port;       /* in network order */
};

/* The loopback's own addresses, and no port. */
extern const struct place loopback_v4, loopback_v6;

/* What an address means to a socket of family `domain` (AF_INET or AF_INET6). Returns 0, or -errno as the kernel has it for what is
 * too short or of another family. */
int read_place(int domain, const union address *address, socklen_t length, struct place *place);

/* The other way; `place` is one that such a socket can have. Returns the length. */
socklen_t write_place(int domain, const struct place *place, union address *address);

bool is_v4(const struct place *place);
bool is_anywhere(const struct place *place);
/* At one address of the loopback; "anywhere" is none. */
bool is_on_loopback(const struct place *place);

#endif
