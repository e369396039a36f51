/* Namespaces of the run's own, where they can be had: as real root without a user namespace, as a user within one. */
#ifndef ION_NAMESPACES_H
#define ION_NAMESPACES_H

#include "options.h"

/* Enter the namespaces that `options` asks for: mounts and System V IPC together, network by itself. With
 * `user_namespace` the calling uid and gid are mapped to themselves and nobody else is.
 * Returns 0 or -errno; `*step` names what failed. */
int enter_namespaces(const struct options *options, const char **step);

/* Set the loopback interface of the new network namespace up. Returns 0 or -errno. */
int raise_loopback(void);

#endif
