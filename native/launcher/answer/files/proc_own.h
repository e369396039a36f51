/* Files below /proc that a process may write about itself. /proc as a whole is closed: a write right there cannot be limited
 * to the own process, and with it uid 0 writes kernel settings. */
#ifndef ION_PROC_OWN_H
#define ION_PROC_OWN_H

#include "supervise/notify.h"

/* Open `path` (canonical) for the task of an open(2) with `flags`, if it is such a file of a process of the run. Returns
 * ANSWERED when the task has its descriptor, CONTINUE for any other file, or -errno. */
int serve_own_file(const struct call *call, const char *path, uint64_t flags);

#endif
