/* The sockets of the relay in the run's network namespace. */
#ifndef ION_NETWORK_RUN_SOCKETS_H
#define ION_NETWORK_RUN_SOCKETS_H

#include "network/relay_shared.h"

/* Called by the child, in the namespace and with its privileges. `name_servers`: addresses that are routed to the relay, NULL-
 * terminated text. Returns 0 or -errno with `*step` set. */
int make_run_sockets(const struct network_rules *rules, const char *const *name_servers, struct run_sockets *sockets,
		     const char **step);

#endif
