/* The words of an execution, read from the memory of the task before it. */
#ifndef ION_ARGV_H
#define ION_ARGV_H

#include <stdint.h>

#include "answer/exec/executions.h"
#include "supervise/task.h"

#define ARGV_PAGE 4096u
#define ARGV_PAGES 64u

/* Pages of the task's memory. Words lie close together: one read brings hundreds, and each read costs a system call. */
struct argv_pages {
	uint64_t address[ARGV_PAGES]; /* 0: none */
	size_t allowance;             /* pages that may be read ahead */
	char bytes[ARGV_PAGES][ARGV_PAGE];
	char fetched[ARGV_PAGES][ARGV_PAGE];
};

/* Adds the words of the array at `address`. -E2BIG when they are too long to check: a pattern could match behind the end. Or
 * another -errno. */
int read_argv(const struct task *task, uint64_t address, struct argv_pages *pages, struct command *command);

#endif
