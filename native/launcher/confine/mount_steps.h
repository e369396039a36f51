/* The steps of every arrangement of mounts. All return a descriptor or 0, or -errno. */
#ifndef ION_MOUNT_STEPS_H
#define ION_MOUNT_STEPS_H

#include <stdbool.h>

/* ion sends canonical paths. If one has become a symlink since, another process swapped it. */
int open_path(const char *path);

/* A detached copy of the mount at `fd` and the mounts below it. In a user namespace the kernel refuses a copy that would
 * uncover a hidden file. */
int copy_tree(int fd);
int copy_tree_at(const char *path);

/* Another process may replace a file by a rename between the open and the mount. The opened file is then unlinked, and no
 * mount on it is possible (ENOENT). Another try finds the new file; a path that is gone stays gone. */
#define LOOKS 100

/* Mount a detached copy. The descriptor still refers to the mount. */
int attach(int tree, int onto);
int attach_at(int tree, const char *path);

/* A new, empty tmpfs, detached. Every user may search its top folder. */
int make_tmpfs(void);

/* Add attributes (ION_MOUNT_ATTR_RDONLY, _NOEXEC) to the mount with its root at `mount`, and with `below` to the mounts below
 * it. None is removed. Before Linux 5.12 the mount must be attached, and mounts hidden behind another mount are skipped. */
int add_attributes(int mount, unsigned long long attributes, bool below);

#endif
