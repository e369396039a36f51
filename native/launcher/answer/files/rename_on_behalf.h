/* Renames that the kernel refuses in the run's own mounts, carried out for the caller in the launcher's view. */
#ifndef ION_RENAME_ON_BEHALF_H
#define ION_RENAME_ON_BEHALF_H

#include "supervise/notify.h"

/* Rename `from` to `to`, both as the caller sees them, canonical, and allowed by the rules.
 *
 * Onto a shadowed path: the private copy gets the contents, and `from` is removed. Between two mounts of the run
 * (which pins make, and which rename(2) answers with EXDEV): done outside, where they are one. Everything else: CONTINUE,
 * so that the kernel does it or says what is wrong.
 *
 * Returns 0, CONTINUE or -errno. */
int replace(const struct call *call, const char *from, const char *to, unsigned flags);

/* Rename a new config to `to`, that of a repository below, if it is a plain change of what is there (git_change.h). */
int replace_nested(const struct call *call, const char *from, const char *to, unsigned flags);

/* Does the caller see the real file at a shadowed path, because somebody outside has replaced it? */
bool is_shadow_gone(const struct call *call, const char *path);

#endif
