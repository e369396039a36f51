/* What the processes of a run hold open. A tree can have millions of descriptors, and whoever asks has clocks to keep: each
 * question is answered in some 20 ms, and the next one goes on where this one has stopped. */
#ifndef ION_DESCRIPTORS_H
#define ION_DESCRIPTORS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Bytes of files in memory (memfd), each counted once: as of the last time that all were looked at, or of those looked at since,
 * where that is more already. */
uint64_t memory_held_open(void);

/* A process with at least `limit` descriptors, and how many it has; false when there is none among those looked at. */
bool find_most_files(uint64_t limit, pid_t *pid, uint64_t *count);

#endif
