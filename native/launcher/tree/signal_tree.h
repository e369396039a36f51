/* Signals to processes of the run. The number of a process that ends may go to a process outside at any time. So each signal
 * goes to a descriptor of the process (pidfd_open(2), Linux 5.3), which is checked after it was opened. */
#ifndef ION_SIGNAL_TREE_H
#define ION_SIGNAL_TREE_H

#include <sys/types.h>

/* Send `signal` to every process of the tree. Returns 0, or -errno when /proc cannot be read. Only a snapshot: it
 * misses processes that fork meanwhile; see kill_tree.h. */
int signal_tree(int signal);

/* Send `signal` to those of the tree that are in process group `group`. Returns 0, or -errno as kill(2) does. */
int signal_group(pid_t group, int signal);

/* Send `signal` to every process of the tree but `sender`. Returns 0, or -ESRCH if there is no other, as kill(2) does for -1. */
int signal_others(pid_t sender, int signal);

/* Send `signal` to `pid` if it belongs to the tree. Returns 0 or -errno. */
int signal_process(pid_t pid, int signal);

/* Send `signal` to ion, the parent of the launcher, unless it has ended. */
void signal_ion(pid_t ion, int signal);

#endif
