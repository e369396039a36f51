/* What connections and datagrams have in common: who is asked for, and whether that is refused. */
#ifndef ION_SOCKETS_H
#define ION_SOCKETS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "answer/net/address.h"
#include "supervise/notify.h"

/* Where a namespace is the boundary, this only says where the call wanted to go. Without one it is for the sockets that the run was
 * given: the filter lets it make none itself. */
bool refuses_internet(const struct options *options, const union address *address);

/* The unix socket that a path leads to, as O_PATH, if the run may use it; else -errno, with the refusal told. */
int find_unix_target(const struct call *call, const union address *address);

/* Tells the refusal of an abstract name. Returns -errno. */
int refuse_abstract(const struct call *call, const union address *address, socklen_t length);

/* Copy an address. Memory that cannot be read is refused: what the kernel would read there, nobody has looked at. Returns 0 or -errno. */
int read_address(const struct call *call, uint64_t pointer, socklen_t *length, union address *address);

#endif
