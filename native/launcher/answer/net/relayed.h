/* Addresses where a relay reaches what a network table allows (network/start_relay.h). The kernel and the relay decide; the
 * supervisor notes who asked, and reports what has no route. */
#ifndef ION_RELAYED_H
#define ION_RELAYED_H

#include "answer/net/address.h"
#include "supervise/notify.h"

/* For a datagram socket: makes its connection, which sends nothing, and returns the result. For a stream: returns CONTINUE. Closes
 * `socket`, except with CONTINUE. */
int connect_relayed(const struct call *call, int socket, int domain, const union address *address, socklen_t length);

/* The answer for a datagram with an address: CONTINUE, or -errno with the refusal reported. */
int send_relayed(const struct call *call, const union address *address, socklen_t length);

/* The kernel found no route: no allowed name has led to this address. */
void report_unreachable(const struct watch *watch, pid_t pid, const union address *address, socklen_t length);

#endif
