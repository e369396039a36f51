/* The /proc of the run's own PID namespace. */
#ifndef ION_OWN_PROC_H
#define ION_OWN_PROC_H

#include <stdbool.h>

/* Mount it on /proc: it shows the processes of the run. To be called inside of the namespace, before other mounts
 * change what is seen of the /proc outside: in a user namespace the kernel refuses a new one where parts of that are hidden
 * (EPERM), also a writable one where that is read-only. Returns 0 or -errno. */
int mount_own_proc(bool readonly);

#endif
