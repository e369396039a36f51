/* Stops the whole tree, and can say later whether it has stayed so. */
#ifndef ION_HOLD_TREE_H
#define ION_HOLD_TREE_H

#include <stdbool.h>

/* Stop every thread of the tree, those too that are started meanwhile. Returns false if some could not be stopped. */
bool hold_tree(void);

/* Reports whether no thread of the tree has run since the last hold_tree. Signals of the kernel can continue a process: those of
 * its timers, for one. */
bool tree_stood_still(void);

#endif
