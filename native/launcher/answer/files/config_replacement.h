/* Renames onto a git config: the run has a private copy of it (options.h), or changes only plain lines of it. */
#ifndef ION_CONFIG_REPLACEMENT_H
#define ION_CONFIG_REPLACEMENT_H

#include "supervise/notify.h"

/* The private copy of the config at `path`, or NULL. */
const char *shadow_of(const struct options *options, const char *path);

/* Whether the task sees the real file at a shadowed path, because a process outside has replaced it. */
bool is_shadow_gone(const struct call *call, const char *path);

/* Both run with the task's identity, and inside an act (acts.h). Return 0 or -errno. */

/* `from` replaces the config `to`, which the run sees as the copy `shadow`. */
int replace_shadowed(const struct call *call, const char *shadow, const char *from, const char *to);

/* A process outside has replaced the file, and the kernel removed the mount with the old one: the command sees the file
 * itself. A plain change (git_change.h) is made there, from a text that no process can change any more. Every other change is
 * refused. */
int replace_real(const struct call *call, const char *from, const char *to);

#endif
