/* TCP over the loopback, mainly the one that the run shares with the machine (network = "loopback" without a network
 * namespace). */
#ifndef ION_LOOPBACK_H
#define ION_LOOPBACK_H

#include "answer/net/address.h"
#include "supervise/notify.h"

/* Each makes the call on `socket`, which was borrowed from the task, has the family `domain`, and is closed here. Another
 * thread's changes of the descriptor or the memory do not affect the checked data. Returns as a handler of notify.h does. */
int connect_loopback(const struct call *call, int socket, int domain, const union address *address, socklen_t length);
int bind_loopback(const struct call *call, int socket, int domain, const union address *address, socklen_t length);
int listen_loopback(const struct call *call, int socket, int domain, int backlog);

/* With a network namespace a server outside is unreachable, and the kernel answers that there is no listener. Report it if a
 * server outside has that endpoint. `socket` stays the task's. */
void report_outside_server(const struct call *call, int socket, int domain, const union address *address, socklen_t length);

#endif
