/* Standard streams that ion was given, and that lie on mounts outside the run's own. */
#ifndef ION_STREAMS_H
#define ION_STREAMS_H

#include <stdbool.h>

#include "options/options.h"

#define STREAMS 3

/* In the run's own mounts: open files that are streams for reading, and devices as /dev/null, once more by their path, so that
 * mode, owner and contents are what the mounts allow: a descriptor keeps the mount that it was opened on, and
 * /proc/self/fd/N leads back to it. `originals` gets the descriptors as they were given, or -1.
 *
 * Returns true when a stream is left that is a file on a mount outside and outside `writable`. */
bool reopen_streams(const struct options *options, int originals[STREAMS]);

/* Move the given descriptors to where the command has read: who gave them may read on. */
void return_positions(const int originals[STREAMS]);

#endif
