/* A launcher that was started ahead of its command: its own start takes as long as making the command's world. */
#ifndef ION_STANDBY_H
#define ION_STANDBY_H

#include <stddef.h>

/* A command's descriptors are put below; what must not be in their way is kept from here on. */
#define ABOVE_ALL_PLACES 16

/* Wait on `control` for a message with `count` descriptors (SCM_RIGHTS, unix(7)), and put them in the places 0, 1, 2 ...,
 * but for that of `control` itself, which is passed over. Signals of supervised_signals(), which are blocked, are thrown away
 * until then.
 *
 * Returns 0, -ECONNRESET when the other side is gone, which has no command then, or another -errno. */
int wait_for_command(int control, size_t count);

#endif
