/* The file by which ion knows that it is inside a run (base/inside_call.h). */
#ifndef ION_INSIDE_H
#define ION_INSIDE_H

#include "options/options.h"

/* Chooses the run's number. Returns 0 or -errno. */
int choose_nonce(struct options *options);

/* Mounts the file. Where its folder is missing or closed, the run has none: ion then is not inside for itself, and adds a
 * second boundary. Returns 0 or -errno. */
int mount_inside(const struct options *options);

#endif
