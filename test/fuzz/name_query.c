/* Feeds arbitrary bytes as a datagram to a name server. The reported name must fit, be printable and end where the name in
 * the datagram ends. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../native/launcher/answer/net/name_query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *message = malloc(size ? size : 1);
	char name[QUERY_NAME];

	memcpy(message, data, size);
	if (read_query(message, size, name)) {
		size_t length = strlen(name);
		assert(length > 0 && length < QUERY_NAME);
		for (size_t i = 0; i < length; i++)
			assert(name[i] > ' ' && name[i] < 0x7f);
		assert(strstr(name, "..") == NULL && (length == 1 || name[0] != '.'));
		/* The first label has the length that the message states. */
		assert(length == 1 || strcspn(name, ".") == message[12]);
	}
	free(message);
	return 0;
}
