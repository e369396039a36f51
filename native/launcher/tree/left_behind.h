/* What the command has left running when it has ended. Who reads a pipe of the run's own, as `>(tee log)` does, has in it what was
 * written before that, and goes on to its end; all others are asked to end a moment later. */
#ifndef ION_LEFT_BEHIND_H
#define ION_LEFT_BEHIND_H

#include <stdbool.h>
#include <stdint.h>

struct readers {
	int count;
	uint64_t waiting_bytes, cpu_us; /* what lies in their pipes, and what they have done */
};

struct left_behind {
	int asked; /* processes that were asked to end */
	/* Filled by look_at_left_behind. */
	bool others_asked;
	struct readers readers;
	uint64_t since, still_since;
};

/* To be called when the command has ended, and again some time later as long as it returns true: some are waited for. `now` is of
 * CLOCK_BOOTTIME, in milliseconds. */
bool look_at_left_behind(struct left_behind *left, uint64_t now);

#endif
