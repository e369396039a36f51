#ifndef ION_HASH_H
#define ION_HASH_H

#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

/* The start value of the hash, different in each launcher. A process that knew it could find two texts with one hash in minutes,
 * and only the first would be reported. It is never shown. It is made from the random bytes that the kernel gives every program
 * (getauxval(3)). */
static inline uint64_t hash_key(void)
{
	uint64_t key;

	memcpy(&key, (const void *)getauxval(AT_RANDOM), sizeof(key));
	return key;
}

/* FNV-1a, with an end mark after each text. */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	return (hash ^ 0xff) * 0x100000001b3ull;
}

#endif
