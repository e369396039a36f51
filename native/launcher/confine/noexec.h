/* Folders whose files neither execute nor can be mapped as code, by mounts with MS_NOEXEC. */
#ifndef ION_NOEXEC_H
#define ION_NOEXEC_H

#include "options/options.h"

/* Only `options->executable` may hold programs, except for `options->noexec` below them. For a mount namespace with its other
 * mounts in place. Does nothing when the first list is empty. Returns 0 or -errno; `*path` is the path at fault. */
int arrange_execution(const struct options *options, const char **path);

#endif
