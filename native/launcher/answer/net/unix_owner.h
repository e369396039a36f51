/* Which unix sockets belong to the run. */
#ifndef ION_UNIX_OWNER_H
#define ION_UNIX_OWNER_H

#include <stdbool.h>
#include <sys/stat.h>

#include "supervise/notify.h"

/* A netlink socket that lists the unix sockets of the calling network namespace. Returns a descriptor or -errno. */
int open_socket_diagnosis(void);

/* UNKNOWN_OWNER: the kernel does not report it, because its module unix_diag is missing. */
enum owner { OF_RUN, OF_ANOTHER, UNKNOWN_OWNER };

/* Whether a process of the run bound the socket of this inode. The kernel's data decides, never the path: a path can be
 * swapped. */
enum owner owner_of_socket(const struct watch *watch, const struct stat *info);

/* Whether a socket belongs to the run's own network namespace. An inherited socket may belong to the one outside. */
bool is_of_own_namespace(const struct watch *watch, int socket);

#endif
