/* The file system as the command sees it without Landlock: only the roots exist in it. */
#ifndef ION_VIEW_H
#define ION_VIEW_H

#include "options/options.h"

/* Create a new root with only `options->view_roots`, read-only, `options->writable`, and the symlinks that lead to them. Then
 * remove the old root from the mount namespace. Returns 0 or -errno; `*path` is the path at fault. */
int enter_view(const struct options *options, const char **path);

#endif
