/* The run's own namespaces, where the machine allows them: as real root without a user namespace, as a user within one. */
#ifndef ION_NAMESPACES_H
#define ION_NAMESPACES_H

#include "options/options.h"

/* Namespaces that were created before there was a command for them: descriptors, or -1. */
struct namespaces {
	int user, network;
	bool loopback; /* that of `network` is up */
	int processes, ipc;
	int outside;   /* with `processes` and without `user`: the launcher's own */
	pid_t first; /* process 1 of `processes`, a child of the launcher; 0: none */
};
#define NO_NAMESPACES { -1, -1, false, -1, -1, -1, 0 }

/* Create some ahead of a command: a network namespace takes as long as all other namespaces together. `names`: "user",
 * "network", "loopback", "processes" (with IPC), NULL-terminated, as the command's options will request them. If one cannot be
 * created, none is: the command's own attempt reports the error. Returns 0, or -EINVAL for another name. */
int make_namespaces(char *const *names, struct namespaces *made);

/* Called in the launcher. Keeps the namespaces if they are those that `options` requests, and closes all otherwise. */
void keep_fitting_namespaces(const struct options *options, struct namespaces *made);

void discard_namespaces(struct namespaces *made);

/* Enter the namespaces that `options` requests: mounts and System V IPC together, network separately, with its loopback
 * interface up if requested. With `user_namespace` only the calling uid and gid are mapped, to themselves. Namespaces created
 * ahead are joined, and closed: their process 1 stays. Returns 0 or -errno; `*step` names the step that failed. */
int enter_namespaces(const struct options *options, struct namespaces *made, const char **step);

#endif
