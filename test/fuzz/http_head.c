/* Feeds arbitrary bytes as the head of a request (first byte even) or as a chunk of its body. The verdict must not depend on the
 * pieces in which the bytes arrive, nor on the bytes after the head. */
#include <assert.h>
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../native/launcher/network/http_head.h"

struct verdict {
	int state;
	struct http_head head;
	uint64_t length;
};

static struct verdict judge(const uint8_t *data, size_t size, bool chunk)
{
	uint8_t *bytes = malloc(size ? size : 1);
	struct verdict verdict = { 0 };

	memcpy(bytes, data, size);
	verdict.state = chunk ? read_http_chunk(bytes, size, &verdict.length) : read_http_head(bytes, size, &verdict.head);
	free(bytes);
	return verdict;
}

static bool same(const struct verdict *one, const struct verdict *other, bool chunk)
{
	if (chunk)
		return one->length == other->length;
	return one->head.length == other->head.length && strcmp(one->head.host, other->head.host) == 0 &&
	       one->head.chunked == other->head.chunked && one->head.upgrade == other->head.upgrade &&
	       one->head.body == other->head.body;
}

static void check_head(const uint8_t *data, size_t size, const struct http_head *head)
{
	assert(head->length <= size && memcmp(data + head->length - 4, "\r\n\r\n", 4) == 0);
	assert(head->host[0] && strlen(head->host) < NAME_SIZE);
	for (const char *c = head->host; *c; c++)
		assert((isalnum((unsigned char)*c) && !isupper((unsigned char)*c)) || strchr("-_.", *c));
	assert(!head->chunked || head->body == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	bool chunk = data[0] & 1;
	data++, size--;
	const struct verdict whole = judge(data, size, chunk);
	if (whole.state == 1 && !chunk) {
		check_head(data, size, &whole.head);
		const struct verdict alone = judge(data, whole.head.length, false);
		assert(alone.state == 1 && same(&alone, &whole, false));
	}
	size_t chosen = size;
	for (size_t i = 0; i < size; i++)
		chosen = chosen * 31 + data[i];
	const struct verdict part = judge(data, size > 0 ? chosen % size : 0, chunk);
	if (whole.state == 0)
		assert(part.state == 0);
	if (part.state != 0)
		assert(whole.state == part.state && (part.state < 0 || same(&part, &whole, chunk)));
	return 0;
}
