/* Namespaces of the run's own, where they can be had: as real root without a user namespace, as a user within one. */
#ifndef ION_NAMESPACES_H
#define ION_NAMESPACES_H

#include "options/options.h"

/* Namespaces that were made before there was a command for them: descriptors, or -1. */
struct namespaces {
	int user, network;
	bool loopback; /* that of `network` is up */
};
#define NO_NAMESPACES { -1, -1, false }

/* Make some ahead of a command: a network namespace takes as long as everything else of its world together. `names`: "user",
 * "network", "loopback", NULL-terminated, as the options of the command will ask for them. What cannot be made is left out:
 * where the command's own attempt fails too, that says why. Returns 0, or -EINVAL for another name. */
int make_namespaces(char *const *names, struct namespaces *made);

/* Enter the namespaces that `options` asks for: mounts and System V IPC together, network by itself, its loopback interface up
 * where it should be. With `user_namespace` the calling uid and gid are mapped to themselves and nobody else is. Those that
 * were made ahead are taken where they are what is asked for, and closed.
 * Returns 0 or -errno; `*step` names what failed. */
int enter_namespaces(const struct options *options, struct namespaces *made, const char **step);

#endif
