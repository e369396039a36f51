/* What the child does to itself before it becomes the command. No step can be undone. */
#ifndef ION_CONFINE_H
#define ION_CONFINE_H

#include "options/options.h"

/* Keep only the capabilities of root that work on files needs. Drop the rest from every set, the bounding set included, so
 * that a uid-0 exec does not restore them. Keep none from a user namespace. Does nothing without capabilities. Returns 0 or
 * -errno. */
int drop_capabilities(bool user_namespace);

/* Drop one capability of this process, from now on. Returns 0 or -errno. */
int drop_capability(int capability);

/* Set the resource limits that the kernel has per process. Returns 0 or -errno. */
int set_limits(const struct limits *limits);

/* Restrict this thread, and everything it later executes, to `ruleset_fd`.
 *
 * Needs no_new_privs, which landlock_restrict_self(2) asks of a process without CAP_SYS_ADMIN.
 *
 * Returns 0, or -errno: -E2BIG once 16 rulesets are stacked on the thread, -EBADF if `ruleset_fd` is not open.
 * Source: kernel Documentation/userspace-api/landlock.rst. */
int restrict_self(int ruleset_fd);

/* Close every descriptor above 2 but these, in this process only. `kept` is in ascending order. Returns 0 or -errno. */
int close_descriptors(const int *kept, size_t count);

/* Close every descriptor from `first` on, in this process only. Returns 0 or -errno. */
int close_descriptors_from(int first);

#endif
