/* Pipes that the run writes into, and that the launcher carries on to those it was given: each write as one, as far as a pipe keeps
 * one together (PIPE_BUF), so that lines of others do not come between. A reader that is gone is gone for the run as well. */
#ifndef ION_PUMP_H
#define ION_PUMP_H

#include <stdbool.h>

/* Put a pipe of the run's own in the place of the standard stream. Streams that are one pipe stay one. Returns 0 or -errno. */
int pump_stream(int stream);
bool is_pumped(int stream);

/* Close the launcher's own ends and begin. Only when the child has its own table of descriptors. */
void begin_pumping(void);

/* Something to poll until pumps_are_done(), which says whether all that was written is carried on. */
int pumps_descriptor(void);
bool pumps_are_done(void);

#endif
