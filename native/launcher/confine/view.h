/* The file system as the command sees it where there is no Landlock: only the roots are in it. */
#ifndef ION_VIEW_H
#define ION_VIEW_H

#include "options/options.h"

/* Make a new root of nothing but `options->view_roots`, read-only, `options->writable`, and the symlinks that lead to them; then
 * the old root is gone from the mount namespace. Returns 0 or -errno; `*path` is the path at fault. */
int enter_view(const struct options *options, const char **path);

#endif
