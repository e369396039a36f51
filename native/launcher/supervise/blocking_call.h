/* Calls that may block, made for the task on their own threads. */
#ifndef ION_BLOCKING_CALL_H
#define ION_BLOCKING_CALL_H

#include <stdbool.h>
#include <sys/socket.h>

#include "supervise/notify.h"

/* Connect `socket` to `address`, or to the unix socket that `target` (O_PATH, or -1) represents, and answer the call. Closes
 * both descriptors. `length` is at most that of struct sockaddr_storage. Returns ANSWERED, or -errno. */
int connect_on_behalf(const struct call *call, int socket, int target, const struct sockaddr *address, socklen_t length);

/* Connect `socket` to `address`, where `listener` listens. Keeps the listener open until the connection succeeds or fails,
 * even when the task does not wait for it. Closes both descriptors. Returns ANSWERED, or -errno. */
int connect_to_listener(const struct call *call, int socket, int listener, const struct sockaddr *address,
			socklen_t length);

/* Whether connect_to_listener is connecting this socket now. */
bool is_under_way(int socket);

/* Shut `socket` down and close it; a listener only when no connection to it is in progress. Returns as a handler does. */
int shutdown_on_behalf(const struct call *call, int socket, int how);

#endif
