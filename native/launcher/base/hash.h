#ifndef ION_HASH_H
#define ION_HASH_H

#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

/* What to start from, another one in each launcher: to who knows it two texts of one hash are minutes of work, and of those only the
 * first is told. It is shown to nobody. From what the kernel gives every program (getauxval(3)). */
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
