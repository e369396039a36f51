/* Limits, as the supervisor looks at them: those of the whole tree, which end the run, and those of single processes, which
 * the kernel keeps and the supervisor only tells. */
#ifndef ION_LIMITS_H
#define ION_LIMITS_H

#include <stdbool.h>

#include "confine/cgroup.h"
#include "limits/disk.h"
#include "options/options.h"

struct limit_watch {
	const struct options *options;
	struct cgroup cgroup;
	struct disk disk; /* open where there is a limit of it */
	pid_t command;
	bool told_files, told_size;
};

struct passed {
	const char *limit; /* its key in the config; NULL: none */
	uint64_t value;
	pid_t pid; /* of the process, where the limit is one of single processes; else 0 */
};

/* Is there a limit that nobody tells of, so that the tree has to be looked at again and again? */
bool is_sampled(const struct limit_watch *watch);

/* A limit of the whole tree that was passed; with `look`, also by looking at each process. What is on the disk outlives the
 * processes: it is looked at in any case. */
struct passed find_passed(const struct limit_watch *watch, bool look);

/* A process has met its own limit of open files: told once. */
struct passed find_met(struct limit_watch *watch);

/* What a process of the run ended with: did a limit of its own end it? Told once. */
struct passed ended_by_limit(struct limit_watch *watch, pid_t pid, int status);

/* The command has ended, as `status` says: by the limit of processor time? */
bool ended_by_cpu(const struct limit_watch *watch, int status, uint64_t *value);

#endif
