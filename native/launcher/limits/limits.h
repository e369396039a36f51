/* Limits as the supervisor sees them: limits of the whole tree, which end the run, and limits of single processes, which the
 * kernel enforces and the supervisor only reports. */
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
	bool reported_files, reported_size;
};

struct passed {
	const char *limit; /* its key in the config; NULL: none */
	uint64_t value;
	pid_t pid; /* the process, for a limit of single processes; else 0 */
};

/* Whether the kernel sends no event for one of the limits, so that the tree has to be checked periodically. */
bool is_sampled(const struct limit_watch *watch);

/* A limit of the whole tree that was passed. With `look`, checks each process too. Disk usage outlives the processes: it is
 * always checked. */
struct passed find_passed(const struct limit_watch *watch, bool look);

/* A process has met its own limit of open files: reported once. */
struct passed find_met(struct limit_watch *watch);

/* The limit of a single process that ended this one, judged by its exit status. Reported once. */
struct passed ended_by_limit(struct limit_watch *watch, pid_t pid, int status);

/* Whether the limit of processor time ended the command, judged by its exit `status`. */
bool ended_by_cpu(const struct limit_watch *watch, int status, uint64_t *value);

#endif
