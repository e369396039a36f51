/* The first message of a TLS connection (RFC 8446, 4.1.2). All bytes come from the run. */
#ifndef ION_NETWORK_CLIENT_HELLO_H
#define ION_NETWORK_CLIENT_HELLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "network/rules.h"

#define HELLO_MAX 16384

struct client_hello {
	char name[NAME_SIZE]; /* of the server, in lower case; "" when there is none */
	bool encrypted;       /* ECH: the name that counts is not readable */
};

/* Read it across records. Returns 1 when it is whole, 0 when bytes are missing, -1 when it is not a valid ClientHello. */
int read_client_hello(const uint8_t *bytes, size_t size, struct client_hello *hello);

#endif
