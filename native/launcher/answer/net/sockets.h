/* Shared by connections and datagrams: the requested address, and whether it is refused. */
#ifndef ION_SOCKETS_H
#define ION_SOCKETS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "answer/net/address.h"
#include "supervise/notify.h"

/* Where a namespace is the boundary, this only reports the address that the call wanted. Without a namespace it checks the
 * inherited sockets: the filter does not let the run make others. */
bool refuses_internet(const struct options *options, const union address *address);

/* The unix socket behind a path, as O_PATH, if the run may use it. Otherwise -errno, and the refusal is reported. */
int find_unix_target(const struct call *call, const union address *address);

/* Reports the refusal of an abstract name. Returns -errno. */
int refuse_abstract(const struct call *call, const union address *address, socklen_t length);

/* Copy an address. Unreadable memory is refused: the kernel would read bytes there that were not checked. Returns 0 or -errno. */
int read_address(const struct call *call, uint64_t pointer, socklen_t *length, union address *address);

#endif
