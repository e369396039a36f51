/* Standard streams as the run gets them, where what ion was given would let it do more than it was given for:
 *
 * - A pipe for writing becomes a pipe of the run's own, from which the launcher carries each write on (pump.h): opened again for reading
 *   by /proc/self/fd/1 it would give what others have put into it.
 * - A removed file for reading, as a here-document is one, becomes a sealed copy: nobody can write that, by whatever descriptor.
 * - A file for appending that was opened for reading as well is opened for appending alone: mapped, it could be written anywhere.
 * - A socket that is not connected, or takes an address with each message, could send anywhere: refused. */
#ifndef ION_HANDED_STREAMS_H
#define ION_HANDED_STREAMS_H

#include "options/options.h"
#include "confine/streams.h"

/* `originals` gets the descriptors of copied files as they were given, or -1. Returns 0, or -errno with `*what` set to the stream. */
int prepare_streams(const struct options *options, int originals[STREAMS], const char **what);

#endif
