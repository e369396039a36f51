/* Pipes that the run writes into. The launcher copies each write to the given pipe as one write, up to PIPE_BUF, so that other
 * writers' lines do not mix with it. When the given pipe loses its reader, the run's pipe does too. */
#ifndef ION_PUMP_H
#define ION_PUMP_H

#include <stdbool.h>

/* Replace the standard stream by a pipe of the run's own. Streams that are one pipe stay one. Returns 0 or -errno. */
int pump_stream(int stream);
bool is_pumped(int stream);

/* Close the launcher's own ends and start. Only when the child has its own descriptor table. */
void begin_pumping(void);

/* A descriptor to poll until pumps_are_done() says that all written data has been copied. */
int pumps_descriptor(void);
bool pumps_are_done(void);

#endif
