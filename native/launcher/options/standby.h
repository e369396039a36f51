/* A launcher that is started before its command is known: its own start takes as long as the command's namespaces. */
#ifndef ION_STANDBY_H
#define ION_STANDBY_H

#include <stddef.h>

/* A command's descriptors are below this number. Other descriptors get numbers from here on, so that they are not in the way. */
#define ABOVE_ALL_PLACES 16

/* Wait on `control` for a message with `least` or `most` descriptors (SCM_RIGHTS, unix(7)), and make them the descriptors 0, 1, 2 ...,
 * skipping that of `control` itself. Blocked signals of supervised_signals() are discarded until then.
 *
 * Returns 0, -ECONNRESET when the other side is gone, so that there will be no command, or another -errno. */
int wait_for_command(int control, size_t least, size_t most);

#endif
