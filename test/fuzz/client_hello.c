/* Feeds arbitrary bytes as the beginning of a TLS connection. The verdict must not depend on the pieces in which the bytes arrive.
 * After "whole" or "refused" it must not change, and before that the parser must wait for more bytes. */
#include <assert.h>
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../native/launcher/network/client_hello.h"

static int read_copy(const uint8_t *data, size_t size, struct client_hello *hello)
{
	uint8_t *bytes = malloc(size ? size : 1);

	memcpy(bytes, data, size);
	int state = read_client_hello(bytes, size, hello);
	free(bytes);
	return state;
}

static void check_name(const char *name)
{
	assert(strlen(name) < NAME_SIZE);
	for (const char *c = name; *c; c++)
		assert((isalnum((unsigned char)*c) && !isupper((unsigned char)*c)) || strchr("-_.", *c));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct client_hello hello, part;
	int state = read_copy(data, size, &hello);

	assert(state >= -1 && state <= 1);
	if (state == 1)
		check_name(hello.name);
	/* One beginning, chosen by the bytes. */
	size_t chosen = size;
	for (size_t i = 0; i < size; i++)
		chosen = chosen * 31 + data[i];
	size_t shorter = size > 0 ? chosen % size : 0;
	int before = read_copy(data, shorter, &part);
	if (state == 0)
		assert(before == 0);
	if (before != 0)
		assert(state == before);
	if (before == 1)
		assert(strcmp(part.name, hello.name) == 0 && part.encrypted == hello.encrypted);
	return 0;
}
