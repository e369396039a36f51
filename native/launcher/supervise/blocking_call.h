/* Calls that may block, made for the caller on a thread of their own. */
#ifndef ION_BLOCKING_CALL_H
#define ION_BLOCKING_CALL_H

#include <stdbool.h>
#include <sys/socket.h>

#include "supervise/notify.h"

/* Connect `socket` to `address`, or to the unix socket that `target` (O_PATH, or -1) stands for, and answer the call. Owns
 * both descriptors. `length` is at most that of struct sockaddr_storage. Returns ANSWERED, or -errno. */
int connect_on_behalf(const struct call *call, int socket, int target, const struct sockaddr *address, socklen_t length);

/* Connect `socket` to `address`, where `listener` listens, and keep that from ending until the connection is made or has failed, also
 * when the caller does not wait for it. Owns both descriptors. Returns ANSWERED, or -errno. */
int connect_to_listener(const struct call *call, int socket, int listener, const struct sockaddr *address,
			socklen_t length);

/* Is a connection of this socket's under way by connect_to_listener? */
bool is_under_way(int socket);

/* Shut `socket` down, which it owns; a listener only when no connection to it is under way. Returns as a handler does. */
int shutdown_on_behalf(const struct call *call, int socket, int how);

#endif
