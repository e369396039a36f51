/* Changes that the supervisor makes for the command (rename_on_behalf.h), and answers of other threads meanwhile.
 *
 * A thread looks at files, then answers that the kernel may carry the call out. If another thread changed files between the two,
 * the look may be wrong. So changes are counted and made one at a time. If a change happens during a look, the thread looks again.
 * A thread holds no lock while it looks, so a slow file system delays no other thread. */
#ifndef ION_ACTS_H
#define ION_ACTS_H

#include <stdbool.h>

/* Called before this thread looks at files. Waits while another thread changes them. */
void begin_look(void);

/* Whether another thread has changed files since begin_look, or is changing them now. */
bool look_is_stale(void);

/* Around a change. False: the look that it rests on is stale, and nothing may be changed. */
bool begin_act(void);
void end_act(void);

/* Called by the first thread at the end of the run. From then on no change begins. Waits at most `limit_ms` for a change in
 * progress: its file system may never answer. */
void stop_acts(unsigned limit_ms);

#endif
