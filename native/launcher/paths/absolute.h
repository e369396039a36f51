/* The start of a path: the absolute path of (dirfd, path), before any symlink in it is followed. */
#ifndef ION_ABSOLUTE_H
#define ION_ABSOLUTE_H

#include <limits.h>
#include <stdbool.h>

#include "supervise/task.h"

/* `path` is absolute, in the task's root, and without `..`: with it openat2(2) would return EAGAIN during any rename. Returns
 * -ELOOP if it contains a symlink; with O_NOFOLLOW the last component may be one. */
int open_plain(const struct task *task, const char *path, int flags);

/* Whether the file of a magic link of /proc (`link` in `folder`) was removed. Then `target` is only the kernel's name for
 * it, and another file can have that name. */
bool is_gone(const struct task *task, int folder, const char *link, const char *target);

/* Whether `path` contains `..` after a slash. */
bool has_parent(const char *path);

/* `path` seen from (dirfd): absolute, not yet canonical. Returns 0, -errno or a value of resolve.h. */
int absolute(const struct task *task, int dirfd, const char *path, char joined[PATH_MAX]);

#endif
