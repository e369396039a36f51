/* The steps that every arrangement of mounts is made of. All return a descriptor or 0, or -errno. */
#ifndef ION_MOUNT_STEPS_H
#define ION_MOUNT_STEPS_H

#include <stdbool.h>

/* ion sends canonical paths. One that has become a symlink since then was swapped by another process. */
int open_path(const char *path);

/* A detached copy of what is mounted at `fd`, with what is mounted below it: in a user namespace the kernel refuses a
 * copy that would uncover something. */
int copy_tree(int fd);
int copy_tree_at(const char *path);

/* A process that replaces a file by a rename between the look and the mount has unlinked what was opened, and nothing can be
 * mounted on that (ENOENT). Another look finds the new one; a path that is gone stays gone. */
#define LOOKS 100

/* Mount a detached copy. The descriptor stays that of the mount. */
int attach(int tree, int onto);
int attach_at(int tree, const char *path);

/* A new, empty tmpfs, detached; its top folder is for everybody to search. */
int make_tmpfs(void);

/* Give attributes (ION_MOUNT_ATTR_RDONLY, _NOEXEC) to the mount that has its root at `mount`; with `below` to those below it
 * too. None is taken away. Before Linux 5.12 the mount must be attached, and what hides behind another mount is left out. */
int add_attributes(int mount, unsigned long long attributes, bool below);

#endif
