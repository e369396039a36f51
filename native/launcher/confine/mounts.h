/* The file system as the command sees it: read-only except for the write roots, with pins on paths that must not move. */
#ifndef ION_MOUNTS_H
#define ION_MOUNTS_H

#include "options/options.h"

/* Arrange the mounts of a new mount namespace; see struct options for the four kinds of paths. Ends in `options->cwd`,
 * on its new mount. Returns 0 or -errno; `*path` is the path at fault, or NULL. */
int arrange_mounts(const struct options *options, const char **path);

#endif
