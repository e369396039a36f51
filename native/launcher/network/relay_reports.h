/* What the relay reports, and who had asked for it. */
#ifndef ION_NETWORK_RELAY_REPORTS_H
#define ION_NETWORK_RELAY_REPORTS_H

#include <stdbool.h>

#include "network/start_relay.h"
#include "supervise/notify.h"

/* Report what waits. Returns false when the relay is gone: there is no more to come. */
bool take_relay_reports(struct relay_process *process, const struct watch *watch);

/* It was reaped. Reported at the next take_relay_reports. */
void relay_has_ended(struct relay_process *process);

/* At the end: how often each refusal happened. */
void count_relay_reports(const struct relay_process *process);

#endif
