/* The resources that the processes of a run use, read from each of them. */
#ifndef ION_TREE_USAGE_H
#define ION_TREE_USAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "options/options.h"

struct usage {
	uint64_t tasks;        /* processes and threads */
	uint64_t memory_bytes; /* resident sets, memfds that processes hold, the run's own /dev/shm; a page shared by several processes counts for each */
	uint64_t cpu_us;       /* of living processes, and of children that were waited for */
};

/* Bytes in the run's own /dev/shm, as its process `pid` sees it. False if the process has ended, or has not received its mounts
 * yet: it would see the machine's /dev/shm, with the data of others. */
bool own_shm_bytes(pid_t pid, uint64_t *bytes);

/* A thread that still has the process's memory and descriptors. The first thread does not show them after its end. */
pid_t living_thread(pid_t pid);

/* Processor time of a process and of the children that it waited for. 0 when there is none. */
uint64_t cpu_us_of(pid_t pid);

/* Read the usage that `limits` need. Returns 0 or -errno. */
int measure_tree(const struct options *options, struct usage *usage);

#endif
