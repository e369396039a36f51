/* The launcher's part of the relay: starts it, watches it, ends it. */
#ifndef ION_NETWORK_START_RELAY_H
#define ION_NETWORK_START_RELAY_H

#include <stdbool.h>
#include <sys/types.h>

#include "network/relay_shared.h"
#include "options/options.h"

enum { RELAY_REPORTS, RELAY_MEETING, RELAY_ANSWERS, RELAY_ENDS };

/* A name that the user is asked about. */
struct question {
	enum { NOT_ASKED, ASKED_ION, IS_OVER } state;
	struct relay_report report;
};

/* The relay of a run; pid 0: none. */
struct relay_process {
	pid_t pid;
	int reports;  /* struct relay_report from it, and a byte back; -1 after its end */
	int meeting;  /* the child's end while it confines itself */
	int answers;  /* struct relay_answer to it */
	int theirs[RELAY_ENDS]; /* the relay's ends */
	struct question questions[ASKED_MAX];
	size_t question_count;
	bool has_answered; /* it has passed on the answers so far */
	bool has_looked;   /* at the end: it has reported everything that the run had sent */
	struct relay_shared *shared;
	struct run_sockets *sockets; /* until the child has its own descriptors */
	struct network_rules *rules;
	size_t numbers[REPORTS_MAX]; /* of each refusal in the run's own numbering, plus one; 0: not reported */
};
#define NO_RELAY { .reports = -1, .meeting = -1, .answers = -1, .theirs = { -1, -1, -1 } }

/* Called before the child starts. The child shares the launcher's descriptors, and so does the relay at first. Returns 0 or -errno;
 * `*detail` names what is at fault. */
int start_relay(const struct options *options, struct relay_process *process, const char **detail);

/* Called by the child, in the run's namespaces and with its privileges: makes the sockets and waits until the relay serves.
 * Returns 0 or -errno with `*step` set. */
int meet_relay(const struct options *options, const struct relay_process *process, const char **step);

/* Called when the child has its own descriptors: closes the launcher's copies. The sockets end with the relay. */
void leave_relay(struct relay_process *process);

void end_relay(struct relay_process *process);

#endif
