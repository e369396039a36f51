/* Which name a datagram to a name server asks for. */
#ifndef ION_NAME_QUERY_H
#define ION_NAME_QUERY_H

#include <stdbool.h>
#include <stddef.h>

/* What a datagram of DNS holds without extensions. Source: RFC 1035, 4.2.1. */
#define QUERY_MAX 512u
#define QUERY_NAME 256u

/* `example.com`, of the first question in `message` (any bytes); "." is the root. What is not printable in a label, or is a dot, is
 * shown as `?`. Returns whether it is a query with a name. Source: RFC 1035, 4.1. */
bool read_query(const unsigned char *message, size_t length, char name[QUERY_NAME]);

#endif
