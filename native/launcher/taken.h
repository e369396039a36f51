/* The caller's socket, as a descriptor of the supervisor's own: what is looked at, and what the call is then made on. */
#ifndef ION_TAKEN_H
#define ION_TAKEN_H

#include "notify.h"

/* Returns a descriptor; -EBADF when the caller has none of that number; -EACCES when it cannot be taken. */
int take_socket(const struct call *call);

/* An int of SOL_SOCKET, or -errno. */
int socket_option(int socket, int option);

#endif
