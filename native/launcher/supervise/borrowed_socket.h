/* The task's descriptor, duplicated in the supervisor. The supervisor checks it, and makes the call on it. */
#ifndef ION_BORROWED_SOCKET_H
#define ION_BORROWED_SOCKET_H

#include "supervise/notify.h"

/* Borrow the descriptor in the call's first argument. Returns a descriptor of this process, -EBADF if the task has no such
 * descriptor, or -EACCES if it cannot be borrowed. */
int take_descriptor(const struct call *call);

/* An int of SOL_SOCKET, or -errno. */
int socket_option(int socket, int option);

#endif
