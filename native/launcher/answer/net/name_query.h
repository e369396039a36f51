/* The name that a datagram to a name server asks for. */
#ifndef ION_NAME_QUERY_H
#define ION_NAME_QUERY_H

#include <stdbool.h>
#include <stddef.h>

/* The size of a DNS datagram without extensions. Source: RFC 1035, 4.2.1. */
#define QUERY_MAX 512u
#define QUERY_NAME 256u

/* `example.com`, from the first question in `message` (any bytes); "." is the root. An unprintable byte or a dot in a label is
 * shown as `?`. Returns whether it is a query with a name. Source: RFC 1035, 4.1. */
bool read_query(const unsigned char *message, size_t length, char name[QUERY_NAME]);

#endif
