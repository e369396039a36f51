/* The process that becomes the command. */
#ifndef ION_CHILD_H
#define ION_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "confine/cgroup.h"
#include "confine/namespaces.h"
#include "confine/pid_namespace.h"
#include "network/start_relay.h"
#include "options/options.h"
#include "seccomp/filter.h"
#include "supervise/terminal.h"

struct launch {
	struct options options;
	struct filter filter;
	sigset_t original_mask;
	pid_t ion, launcher;
	int ruleset;
	int self;  /* pidfd of the launcher, with a PID namespace */
	int setup; /* write end of the pipe for struct setup_message */
	struct namespaces namespaces; /* made ahead */
	struct terminal terminal; /* as it was before the command */
	struct cgroup cgroup;
	struct relay_process relay;
	bool started_inside; /* the child is the command, in its PID namespace */
	bool joins; /* the child has to join the group: it could not be born in it */
	struct run_processes *processes;
};

/* The child. Shares the descriptor table with the launcher until close_descriptors, so that a listener descriptor made in here
 * is the launcher's at once. Returns only an exit status. */
int confine_and_execute(struct launch *launch);

/* start.c: Start the process that confines itself and executes the command. Sets `processes`. Returns 0 or -errno; with -ECHILD the
 * pipe may have a message about the failed step, and processes of the run may be left. */
int start(struct launch *launch);

#endif
