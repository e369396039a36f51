/* Process 1 of the run's PID namespace, where the run has one. It belongs to the launcher, not to the tree: it never runs a
 * program, and its children count as those of the launcher. */
#ifndef ION_FIRST_PROCESS_H
#define ION_FIRST_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* Called before anything looks at the tree. 0: the run has no PID namespace. */
void begin_tree(pid_t first);

/* The launcher's number of process 1, or 0. */
pid_t first_process(void);

/* Whether this is the launcher or process 1 of the run. */
bool is_root_of_tree(pid_t pid);

/* Ask it to end when it has no child left. The command has no process left then, and the launcher receives SIGCHLD: the end of
 * an orphan does not reach it otherwise. */
void ask_first_to_end(void);

/* Kill it, and with it every process of the namespace (pid_namespaces(7)), also those that are being forked. */
void kill_first(void);

/* Wait until it has ended, for at most `limit_ms`. Returns at once if there is none. */
void wait_for_first(int limit_ms);

#endif
