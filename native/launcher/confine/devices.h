/* Terminals and shared memory of the run's own. */
#ifndef ION_DEVICES_H
#define ION_DEVICES_H

#include "options/options.h"

/* Mount a new instance of devpts on /dev/pts (and its ptmx on /dev/ptmx), so that no terminal but those the run makes can be
 * opened; the run's own terminal, if it has one, appears as /dev/console. With `own_shm`, an empty /dev/shm. In the run's
 * mount namespace. Returns 0 or -errno; `*path` is the path at fault. */
int arrange_devices(const struct options *options, const char **path);

/* Grant in the ruleset what arrange_devices has mounted: rules follow inodes, and these are new. Returns 0 or -errno. */
int grant_devices(const struct options *options, int ruleset_fd);

/* Does `path`, of the run's own mounts, lead to its own terminal? */
bool is_own_terminal(const struct options *options, const char *path);

#endif
