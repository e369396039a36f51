/* Processes that the command has left running. A process that reads a pipe of the run, as `>(tee log)` does, still has earlier
 * output to read, and continues to the end of the pipe. All others get the signal to end a moment later. */
#ifndef ION_LEFT_BEHIND_H
#define ION_LEFT_BEHIND_H

#include <stdbool.h>
#include <stdint.h>

struct readers {
	int count;
	uint64_t waiting_bytes, cpu_us; /* the data in their pipes, and their progress */
};

struct left_behind {
	int asked; /* processes that were asked to end */
	/* Filled by look_at_left_behind. */
	bool others_asked;
	struct readers readers;
	uint64_t since, still_since;
};

/* Call this when the command has ended, and again some time later as long as it returns true: it waits for some processes.
 * `now` is CLOCK_BOOTTIME in milliseconds. */
bool look_at_left_behind(struct left_behind *left, uint64_t now);

#endif
