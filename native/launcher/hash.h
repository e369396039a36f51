#ifndef ION_HASH_H
#define ION_HASH_H

#include <stdint.h>

#define HASH_START 0xcbf29ce484222325ull

/* FNV-1a, with an end mark after each text. */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	return (hash ^ 0xff) * 0x100000001b3ull;
}

#endif
