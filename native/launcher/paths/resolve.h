/* The path that a name means to a process that waits in a notified system call. */
#ifndef ION_RESOLVE_H
#define ION_RESOLVE_H

#include <errno.h>
#include <limits.h>
#include <stddef.h>

#include "supervise/task.h"

/* NO_FOLLOW: a symlink as the last component stands for itself, as long as no slash follows it. */
enum follow { FOLLOW, NO_FOLLOW };

/* resolve() of a file without a place in the file system: a pipe, a socket. `resolved` is the magic link that leads to it, or
 * empty. */
#define NOT_A_PATH (-ESRCH)

/* resolve() from a folder that was removed: only `..` could lead anywhere, and the folder has no path to start from. */
#define FROM_A_GONE_FOLDER (-ESTALE)

/* resolve() of a file that was removed and is still open, by a magic link: the kernel needs no path for it. `resolved` is its
 * last path, with the kernel's mark. */
#define A_GONE_FILE (-EIDRM)

/* The canonical path that (dirfd, path) means to the task, whether a file exists there or not. With FOLLOW, for a dangling symlink,
 * its target. Returns an O_PATH descriptor of the file. -ENOENT: there is no file; `resolved` is its path, or empty if its folder
 * is missing too. Another -errno when the path is unknown (then `resolved` is empty). */
int resolve(const struct task *task, int dirfd, const char *path, enum follow follow, char resolved[PATH_MAX]);

/* The length of a name without the mark of a removed file (readlink(2) of a descriptor; Linux: fs/d_path.c), or 0 without a
 * mark. Its folder may be removed as well. By O_PATH and /proc/self/fd it can still be opened for reading. */
size_t length_of_gone(const char *name);

#endif
