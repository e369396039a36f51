/* Standard streams that were given to the run, reached by a name (/dev/stdin, /proc/self/fd/0). */
#ifndef ION_GIVEN_NAMES_H
#define ION_GIVEN_NAMES_H

#include "confine/given_streams.h"
#include "supervise/notify.h"

/* `wanted`, `wants`: WANTS_... `opens`: the flags of an open for writing, or NULL. Both return as a handler does. */

/* The answer for a file without a place in the file system, by its magic link. The task may use its own pipe as it was given. */
int answer_pipe(const struct call *call, const char *link, unsigned wanted);

/* The answer for a removed file, by its last path with the kernel's mark. */
int answer_gone(const struct call *call, const char *name, const __u64 *opens, unsigned wants);

/* The stream that is the file `fd`, given for appending, or -1. */
int appended_by(int fd);

#endif
