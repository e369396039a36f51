/* The processes of a run are all processes below the launcher. The launcher inherits every orphan, as subreaper or by the
 * run's process 1 (first_process.h). */
#ifndef ION_TREE_H
#define ION_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Whether this process, or the process of this thread, belongs to the tree. */
bool tree_has(pid_t pid);

/* The parent of `pid`, or the process that has replaced it; -1 when there is no such process. */
pid_t parent_of(pid_t pid);

/* Its state as in proc_pid_stat(5), or NUL when there is no such process. */
char state_of(pid_t pid);

/* Whether `pid`, a process of the tree, has a child or grandchild in process group `group`. */
bool has_descendant_in(pid_t pid, pid_t group);

/* Walk the tree from the top down. `visit`, if not NULL, gets each process before its children are listed. Returns their
 * number, or -errno when /proc cannot be read. */
int walk_tree(void (*visit)(pid_t pid, pid_t parent));

/* Call `visit` for each current process of the tree; it misses processes that fork meanwhile. Returns 0, or -errno when /proc
 * cannot be read. */
int visit_tree(void (*visit)(pid_t pid, void *argument), void *argument);

/* Call `visit` for the processes of the tree in the order of their numbers, starting at `*next`. Stop after `turn_ms`
 * milliseconds, but visit at least one process. `until` is the deadline (CLOCK_MONOTONIC, milliseconds). `visit` returns
 * false if it has to stop before a process is finished. Sets `*next` to the number to continue with. Returns whether all
 * processes were visited. */
bool visit_tree_in_turns(pid_t *next, unsigned turn_ms, bool (*visit)(pid_t pid, uint64_t until, void *argument),
			 void *argument);

/* Read a file of /proc, cut to `size` and ended by NUL. Returns its length or -errno. */
int read_small_file(const char *path, char *text, size_t size);

/* Processor time in microseconds. */
uint64_t cpu_of(const struct rusage *usage);

/* A child of the launcher that is not part of the run: the relay (network/start_relay.h). 0: none. */
void leave_out_of_tree(pid_t pid);

#endif
