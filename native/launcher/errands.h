/* Connections made for the caller, each in a thread of its own. */
#ifndef ION_ERRANDS_H
#define ION_ERRANDS_H

#include <sys/socket.h>

#include "notify.h"

/* Connect `socket` to `address`, or to the unix socket that `target` (O_PATH, or -1) stands for, and answer the call. Owns
 * both descriptors. `length` is at most that of struct sockaddr_storage. Returns ANSWERED, or -errno. */
int connect_on_behalf(const struct call *call, int socket, int target, const struct sockaddr *address, socklen_t length);

#endif
