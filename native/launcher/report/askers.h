/* The ends of processes to which something was refused. */
#ifndef ION_ASKERS_H
#define ION_ASKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Remember the process that refusal `number` was reported for. */
void remember_asker(size_t number, pid_t process);

/* Whether the process of refusal `number` is known to have failed. Before Linux 6.15 nothing is known. Call this at the end
 * of the run, when the process was reaped. */
bool asker_failed(size_t number);

#endif
