/* The pipe of make's jobserver, which the command inherits. */
#ifndef ION_JOBSERVER_H
#define ION_JOBSERVER_H

#include "options/options.h"

/* The numbers under which ion passes the two descriptors. */
enum { JOBSERVER_READS_FD = 6, JOBSERVER_WRITES_FD = 7 };

/* Gives them the numbers of the options. `*setup` is moved out of their way. Returns 0 or -errno. */
int place_jobserver(const struct options *options, int *setup);

#endif
