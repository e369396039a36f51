/* The caller's descriptor, as one of the supervisor's own: what is looked at, and what the call is then made on. */
#ifndef ION_BORROWED_SOCKET_H
#define ION_BORROWED_SOCKET_H

#include "supervise/notify.h"

/* Of the call's first argument. Returns a descriptor; -EBADF when the caller has none of that number; -EACCES when it cannot be taken. */
int take_descriptor(const struct call *call);

/* An int of SOL_SOCKET, or -errno. */
int socket_option(int socket, int option);

#endif
