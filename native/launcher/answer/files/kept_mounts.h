/* Whether the run's read-only mounts are still where they were made. As long as they are, the mounts alone refuse changes of
 * mode, owner, times and attributes, and the supervisor looks at no path for them: that would double the cost of `tar x`.
 * When another process replaces or removes a file, the kernel removes the mount on it. When it renames a file or folder, the
 * mount moves along. */
#ifndef ION_KEPT_MOUNTS_H
#define ION_KEPT_MOUNTS_H

#include <stdbool.h>

#include "options/options.h"

/* Descriptors, or -1. */
struct kept_mounts {
	int moves; /* inotify: each mount point that is renamed */
	int table; /* of the run's mount namespace: each mount that is removed */
};
#define NO_KEPT_MOUNTS { -1, -1 }

/* For the child: before its mounts are made, and afterwards in its own mount namespace. */
void expect_moves(const struct options *options, struct kept_mounts *kept);
void expect_removals(struct kept_mounts *kept);

/* Whether no mount was renamed or removed since then. After a change it stays false. It is also false without both
 * descriptors. */
bool mounts_are_kept(const struct kept_mounts *kept);

#endif
