/* The run's own PID namespace: its first process, and the command, both children of the launcher. */
#ifndef ION_PID_NAMESPACE_H
#define ION_PID_NAMESPACE_H

#include <stdbool.h>
#include <sys/types.h>

/* The launcher's numbers of both. 0: not started. */
struct run_processes {
	pid_t first;   /* number 1 inside: it reaps orphans, and the kernel kills the others when it ends */
	pid_t command;
};

/* Called in the process that has unshared the namespace, which is not in it itself. Starts the first process as its sibling, a
 * child of the launcher. `launcher` is a pidfd of the launcher. Returns its number or -errno. */
pid_t start_first(int launcher);

/* Starts the command in the same way, and before it the first process unless `processes` has one. The launcher waits for the
 * command itself, so job control and exit codes are as without a namespace.
 *
 * Returns 0 in the command, and -errno where it could not be started. Otherwise the caller exits. */
int become_command(struct run_processes *processes, int launcher);

/* Called in the launcher, where it may enter the namespace itself: starts the command there, and returns to `outside`. As fork(2),
 * with a shared table of descriptors. Returns -errno for an error. */
pid_t start_command_in(int namespace, int outside);

/* Whether the process of this pidfd has ended. getppid(2) cannot tell: it answers 0 for a parent outside the namespace. */
bool has_ended(int pidfd);

#endif
