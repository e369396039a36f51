/* Standard streams for the run, where the given stream would allow more than its direction:
 *
 * - A pipe for writing becomes a pipe of the run's own, and the launcher copies each write to the given one (pump.h). Reopened for
 *   reading by /proc/self/fd/1, the given pipe would show the data of other writers.
 * - A removed file for reading, such as a here-document, becomes a sealed copy. No descriptor of the copy allows a write.
 * - A file for appending that was opened for reading as well is reopened for appending only. Otherwise a mapping could write
 *   anywhere in it.
 * - A socket that is not connected, or takes an address with each message, is refused: it could send anywhere. */
#ifndef ION_HANDED_STREAMS_H
#define ION_HANDED_STREAMS_H

#include "options/options.h"
#include "confine/streams.h"

/* `originals` gets the descriptors of copied files as they were given, or -1. Returns 0, or -errno with `*what` set to the stream. */
int prepare_streams(const struct options *options, int originals[STREAMS], const char **what);

#endif
