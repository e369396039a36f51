/* The /proc of the run's own PID namespace. */
#ifndef ION_OWN_PROC_H
#define ION_OWN_PROC_H

#include <stdbool.h>

/* Mount it on /proc: it shows the processes of the run. Called inside of the namespace, before other mounts cover parts of the old
 * /proc. In a user namespace the kernel refuses a new one where parts of the old one are hidden, and a writable one where the old
 * one is read-only (EPERM). Returns 0 or -errno. */
int mount_own_proc(bool readonly);

#endif
