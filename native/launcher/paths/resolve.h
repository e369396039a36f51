/* Which path a name means to a process that waits in a notified system call. */
#ifndef ION_RESOLVE_H
#define ION_RESOLVE_H

#include <errno.h>
#include <limits.h>
#include <stddef.h>

#include "supervise/task.h"

/* NO_FOLLOW: a symlink as the last component stands for itself, as long as no slash follows it. */
enum follow { FOLLOW, NO_FOLLOW };

/* resolve() of something that has no place in the file system: a pipe, a socket. `resolved` is the magic link that leads to it, or empty. */
#define NOT_A_PATH (-ESRCH)

/* resolve() from a folder that was removed: only `..` leads anywhere there, and the folder has no path to take it from. */
#define FROM_A_GONE_FOLDER (-ESTALE)

/* resolve() of a file that was removed and is still open, by a magic link: the kernel needs no path for it. `resolved` is its last one,
 * with the kernel's mark. */
#define A_GONE_FILE (-EIDRM)

/* The canonical path that (dirfd, path) means to the caller, whether there is something or not. With FOLLOW, of a symlink that leads
 * to nothing, the path that it leads to.
 * Returns an O_PATH descriptor of what is there, -ENOENT with `resolved` set when nothing is, or empty when its folder is not
 * there either, or another -errno when it cannot be told (then `resolved` is empty). */
int resolve(const struct caller *caller, int dirfd, const char *path, enum follow follow, char resolved[PATH_MAX]);

/* How long a name is without the mark of a file that is gone (readlink(2) of a descriptor; Linux: fs/d_path.c), or 0 when it has
 * none. Its folder may be gone as well, and by O_PATH and /proc/self/fd it can still be opened for reading. */
size_t length_of_gone(const char *name);

#endif
