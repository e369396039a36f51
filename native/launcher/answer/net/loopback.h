/* TCP over the loopback, mostly that which the run shares with the machine (network = "loopback" without a network namespace). */
#ifndef ION_LOOPBACK_H
#define ION_LOOPBACK_H

#include "answer/net/address.h"
#include "supervise/notify.h"

/* Each makes the call on `socket`, which was taken from the caller, of family `domain`, and owns it: nothing that another
 * thread does to the descriptor or the memory changes what was looked at. Returns as a handler of notify.h does. */
int connect_loopback(const struct call *call, int socket, int domain, const union address *address, socklen_t length);
int bind_loopback(const struct call *call, int socket, int domain, const union address *address, socklen_t length);
int listen_loopback(const struct call *call, int socket, int domain, int backlog);

/* With a network namespace a server outside is out of reach, and the kernel says that nobody listens: tell of it when somebody does
 * at that place outside. `socket` stays the caller's. */
void tell_outside_server(const struct call *call, int socket, int domain, const union address *address, socklen_t length);

#endif
