/* The relay's own process, from the fork to its first event. */
#ifndef ION_NETWORK_RELAY_PROCESS_H
#define ION_NETWORK_RELAY_PROCESS_H

#include <sys/types.h>

#include "network/start_relay.h"

/* From the child to the relay: the sockets are ready. From the relay to the child: 0 or -errno. */
struct greeting {
	int error;
};

/* Waits for the run's sockets, confines itself and serves. `ends` are the relay's own. */
void be_relay(const struct options *options, const struct relay_process *process, const int ends[RELAY_ENDS], pid_t launcher)
	__attribute__((noreturn));

#endif
