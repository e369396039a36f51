/* The file by which ion knows that it is inside a run (base/inside_call.h). */
#ifndef ION_INSIDE_H
#define ION_INSIDE_H

#include "options/options.h"

/* Chooses the run's number. Returns 0 or -errno. */
int choose_nonce(struct options *options);

/* Mounts the file, and the one with the run's settings. If the folder is missing or closed, the run has no such files. ion then does
 * not know that it is inside, and adds a second boundary. Returns 0 or -errno. */
int mount_inside(const struct options *options);

#endif
