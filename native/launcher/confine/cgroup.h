/* A control group of the run's own (cgroup v2), in a folder in which this user may create one. */
#ifndef ION_CGROUP_H
#define ION_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "options/options.h"

struct cgroup {
	int folder;  /* the group; -1: none. Its lock says that a launcher is alive */
	int parent;
	int memory_events, pids_events; /* for poll(2): POLLPRI when a limit was met; -1: no such limit */
	char name[48];
};

#define NO_CGROUP { -1, -1, -1, -1, "" }

/* Create the group in `options->cgroup` with the limits of memory and processes, and remove groups there whose launcher is
 * dead. Returns 0, or -errno and leaves no group behind. */
int make_cgroup(const struct options *options, struct cgroup *cgroup);

/* Move the calling process into it, if it could not be started in it. Returns 0 or -errno. */
int join_cgroup(const struct cgroup *cgroup);

/* With a PID namespace: set the limit of processes for the whole run. The process 1 of the namespace does not count. Returns 0
 * or -errno. */
int count_started(const struct options *options, const struct cgroup *cgroup);

/* Whether the kernel has refused memory, or a new process or thread, because of the group's limit. */
bool memory_was_refused(const struct cgroup *cgroup);
bool process_was_refused(const struct cgroup *cgroup);

/* The processor time of all processes that have run in it. 0 if it cannot be read. */
uint64_t cgroup_cpu_us(const struct cgroup *cgroup);

/* Kill every process in it at once (Linux 5.14; no effect before). */
void kill_cgroup(const struct cgroup *cgroup);

/* When its processes are dead and reaped. */
void remove_cgroup(struct cgroup *cgroup);

#endif
