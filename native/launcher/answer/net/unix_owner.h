/* Which unix sockets belong to the run. */
#ifndef ION_UNIX_OWNER_H
#define ION_UNIX_OWNER_H

#include <stdbool.h>
#include <sys/stat.h>

#include "supervise/notify.h"

/* A netlink socket that lists the unix sockets of the calling network namespace. Returns a descriptor or -errno. */
int open_socket_diagnosis(void);

/* Was the socket behind this inode bound by a process of the run? By what the kernel says of it, never by its path:
 * a path can be swapped. False when it cannot be told. */
bool is_own_socket(const struct watch *watch, const struct stat *info);

/* Does a socket belong to the run's own network namespace? One that was handed over may be of that outside. */
bool is_of_own_namespace(const struct watch *watch, int socket);

#endif
