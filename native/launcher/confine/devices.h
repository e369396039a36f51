/* The run's own terminals and shared memory. */
#ifndef ION_DEVICES_H
#define ION_DEVICES_H

#include "options/options.h"

/* Mount a new instance of devpts on /dev/pts (and its ptmx on /dev/ptmx), so that the run can open only terminals that it
 * creates. The run's own terminal, if it has one, appears as /dev/console. With `own_shm`, an empty /dev/shm. In the run's
 * mount namespace. Returns 0 or -errno; `*path` is the path at fault. */
int arrange_devices(const struct options *options, const char **path);

/* Grant the mounts of arrange_devices in the ruleset: rules follow inodes, and these are new. Returns 0 or -errno. */
int grant_devices(const struct options *options, int ruleset_fd);

/* The same for the /proc of the run's own processes. */
int grant_own_proc(const struct options *options, int ruleset_fd);

/* Whether `path`, in the run's own mounts, leads to the run's own terminal. */
bool is_own_terminal(const struct options *options, const char *path);

#endif
