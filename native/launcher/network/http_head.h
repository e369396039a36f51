/* Heads of HTTP/1 requests (RFC 9112). All bytes come from the run. The parser is strict: it refuses everything that servers read
 * in different ways. */
#ifndef ION_NETWORK_HTTP_HEAD_H
#define ION_NETWORK_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "network/rules.h"

#define HTTP_HEAD_MAX 16384

struct http_head {
	size_t length;        /* of the head with its empty line */
	char host[NAME_SIZE]; /* lower case, without a port */
	bool chunked, upgrade;
	uint64_t body;        /* bytes; 0 with `chunked` */
};

/* Returns 1 when the head is whole, 0 when bytes are missing, -1 when it is not one that ion passes on. */
int read_http_head(const uint8_t *bytes, size_t size, struct http_head *head);

/* Reads the size line of a chunk; with size 0, the whole end of the body. `*length`: bytes up to the next chunk or request. Returns
 * as above; 2 for the end of the body. */
int read_http_chunk(const uint8_t *bytes, size_t size, uint64_t *length);

#endif
