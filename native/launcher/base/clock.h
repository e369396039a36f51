#ifndef ION_CLOCK_H
#define ION_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Milliseconds of a clock of clock_gettime(2). */
static inline uint64_t milliseconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

#endif
