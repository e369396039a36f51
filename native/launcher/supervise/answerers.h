/* The threads that answer notified calls. The first thread of the launcher never looks at a file that a command names: such a
 * file system may never answer, and clock, limits, signals and the kill must stay in time. */
#ifndef ION_ANSWERERS_H
#define ION_ANSWERERS_H

#include <stdint.h>

#include "supervise/notify.h"

/* Start with one thread. Returns 0 or -errno. */
int start_answering(const struct watch *watch);

/* One thread is enough as long as its looks return. If each thread has been at the same call since the last check, more are
 * started, so that other processes go on. Called after `answers_due_in` milliseconds (-1: never), or earlier. Returns 0, or -errno
 * when the listener is broken. */
int check_answers(void);
int answers_due_in(void);

#endif
