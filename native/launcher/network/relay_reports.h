/* The reports of the relay, with the process that caused each. */
#ifndef ION_NETWORK_RELAY_REPORTS_H
#define ION_NETWORK_RELAY_REPORTS_H

#include <stdbool.h>

#include "network/start_relay.h"
#include "supervise/notify.h"

/* Passes on the waiting reports. Returns false when the relay is gone and no more can come. */
bool take_relay_reports(struct relay_process *process, const struct watch *watch);

/* Who asked for the name of this question; 0: unknown. */
pid_t find_asker(const struct relay_report *report);

/* Pass an answer on. Returns false if the question does not stand (any more). */
bool answer_question(struct relay_process *process, size_t number, bool allowed);

/* Ask the relay to look at what the run has sent so far, and pass on its reports about it. Waits for a limited time. */
void take_last_reports(struct relay_process *process, const struct watch *watch);

/* The relay was reaped. The next take_relay_reports reports it. */
void relay_has_ended(struct relay_process *process);

/* How connections opened: "exact", "accepted first", or "" without a relay or a port. */
const char *connections_of(const struct relay_process *process);

/* At the end: how often each refusal happened. */
void count_relay_reports(const struct relay_process *process);

#endif
