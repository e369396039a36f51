/* Renames that the kernel refuses in the run's own mounts. The supervisor carries them out for the task, in the launcher's
 * view. */
#ifndef ION_RENAME_ON_BEHALF_H
#define ION_RENAME_ON_BEHALF_H

#include "supervise/notify.h"

/* Rename `from` to `to`, both as the task sees them, canonical, and allowed by the rules.
 *
 * Onto a shadowed path: the private copy gets the contents, and `from` is removed. Between two mounts of the run (pins make
 * them, and rename(2) returns EXDEV): done in the launcher's view, where they are one. Otherwise CONTINUE: the kernel does it
 * or returns its own error.
 *
 * Returns 0, CONTINUE, LOOK_AGAIN or -errno. */
int replace(const struct call *call, const char *from, const char *to, unsigned flags);

/* Rename a new config to `to`, the config of a repository below, if it is a plain change of the existing one (git_change.h). */
int replace_nested(const struct call *call, const char *from, const char *to, unsigned flags);

#endif
