/* Standard streams that ion was given, on mounts other than the run's own. */
#ifndef ION_STREAMS_H
#define ION_STREAMS_H

#include <stdbool.h>

#include "options/options.h"

#define STREAMS 3

/* Reopens streams by path in the run's own mounts: open files for reading, and devices such as /dev/null. The mounts then
 * decide about mode, owner and contents. A descriptor keeps the mount on which it was opened, and /proc/self/fd/N leads back
 * to it. `originals` gets the descriptors as they were given, or -1.
 *
 * Returns 1 when a stream remains that is a file on a mount outside and not in `writable`, else 0. Returns -ESTALE in a view (view.h)
 * when the command could open such a file again for writing, although it was given for reading. */
int reopen_streams(const struct options *options, int originals[STREAMS]);

/* Let go of the launcher's copy of a standard stream. Not closed: the next descriptor that the launcher opens would become one. */
void leave_stream(int stream);

/* At the end of the run: lets go of the standard streams, and closes the given descriptors. Each of those is first moved to the
 * position that the command has reached: the caller may read on. Their readers need not wait until this launcher has exited, which
 * takes as long as ten reports. */
void let_go_of_streams(const int originals[STREAMS]);

#endif
