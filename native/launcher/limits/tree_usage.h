/* What the processes of a run use, by looking at each of them. */
#ifndef ION_TREE_USAGE_H
#define ION_TREE_USAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "options/options.h"

struct usage {
	uint64_t tasks;        /* processes and threads */
	uint64_t memory_bytes; /* resident sets, files in memory that processes hold, the run's own /dev/shm; shared pages
				* count once per process */
	uint64_t cpu_us;       /* of what lives, and of what was waited for */
};

/* Bytes in the run's own /dev/shm, as the process `pid` of it sees that. False where it does not: it has ended, or has not
 * been given its mounts yet and sees the machine's, with what others keep there. */
bool own_shm_bytes(pid_t pid, uint64_t *bytes);

/* A thread that still has the memory and the descriptors of the process, which of a first thread that has ended are not told. */
pid_t living_thread(pid_t pid);

/* Processor time of a process, and of what it has waited for; 0 when there is none. */
uint64_t cpu_us_of(pid_t pid);

/* Look at what `limits` need. Returns 0 or -errno. */
int measure_tree(const struct options *options, struct usage *usage);

#endif
