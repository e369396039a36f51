/* The end of a run: no process of it stays alive. */
#ifndef ION_KILL_TREE_H
#define ION_KILL_TREE_H

/* Kill until no process is left. Processes that fork meanwhile are killed in the next round: a child that outlives its parent
 * becomes the launcher's own. Returns the number of processes found alive, -ETIMEDOUT when some are left after `limit_ms`
 * (stuck in the kernel), or -errno. */
int kill_tree(unsigned limit_ms);

#endif
