/* The steps that every arrangement of mounts is made of. All return a descriptor or 0, or -errno. */
#ifndef ION_MOUNT_STEPS_H
#define ION_MOUNT_STEPS_H

#include "abi.h"

int set_attributes(int fd, const char *path, unsigned flags, struct ion_mount_attr attr);

/* ion sends canonical paths. One that has become a symlink since then was swapped by somebody. */
int open_path(const char *path);

/* A detached copy of what is mounted at `fd`, with what is mounted below it: in a user namespace the kernel refuses a
 * copy that would uncover something. */
int copy_tree(int fd);

/* Mount a detached copy at `path`. */
int attach_at(int tree, const char *path);

#endif
