/* The end of a run: nothing of it is left alive. */
#ifndef ION_KILL_TREE_H
#define ION_KILL_TREE_H

/* Kill until nothing is left. Processes that fork meanwhile are met in the next round: a child that outlives its
 * parent becomes the launcher's own. Returns how many processes were found alive, or -ETIMEDOUT when some are left
 * after `limit_ms` (stuck in the kernel), or -errno. */
int kill_tree(unsigned limit_ms);

#endif
