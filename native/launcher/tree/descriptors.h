/* The open descriptors of a run's processes. A tree can have millions, and the caller has deadlines: each query returns within
 * some 20 ms, and the next one continues where this one stopped. */
#ifndef ION_DESCRIPTORS_H
#define ION_DESCRIPTORS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Bytes of memfds, each counted once: the sum of the last complete round, or of the current round if that is already larger. */
uint64_t memory_held_open(void);

/* A process with at least `limit` descriptors, and its count. False when there is none among those examined. */
bool find_most_files(uint64_t limit, pid_t *pid, uint64_t *count);

#endif
