/* The launcher's parent half: waits, forwards, limits, and at the end leaves no process behind. */
#ifndef ION_SUPERVISE_H
#define ION_SUPERVISE_H

#include <signal.h>
#include <sys/types.h>

#include "answer/files/kept_mounts.h"
#include "confine/cgroup.h"
#include "options/options.h"
#include "confine/streams.h"
#include "network/start_relay.h"
#include "supervise/terminal.h"

struct supervision {
	const struct options *options;
	int control; /* to ion; its end of file means that ion is gone */
	int setup;   /* from the child: struct setup_message, then end of file when it has executed the command */
	pid_t command;
	pid_t ion;
	int streams[STREAMS]; /* the given streams, where the run has copies (handed_streams.h), or -1 */
	struct terminal terminal; /* as it was before the command */
	struct cgroup cgroup; /* of the run's own; folder -1: none */
	struct relay_process *relay;
	sigset_t early; /* signals that arrived before the command was started, so it has not received them */
};

/* The child's message while it confines itself: `error` 0 = confined, with its own descriptor table; else the step that
 * failed. A successful exec closes the pipe. */
struct setup_message {
	int error;
	int listener, diag; /* with error 0: descriptors made by the child, or -1 */
	struct kept_mounts kept;
	int streams[STREAMS]; /* likewise: standard streams as they were given (streams.h) */
	char step[32];
	char detail[220]; /* the path at fault, cut; the whole message is written in one (PIPE_BUF) */
};

/* Signals that the supervisor handles by descriptor. They are blocked before the fork, so that none is lost. */
void supervised_signals(sigset_t *set);

/* Takes `setup_writer`, the launcher's copy of the pipe's other end, and closes it once the child has its own table. Serves
 * until the command has ended and its whole tree is dead, then reports. Returns 0, or -errno when the supervisor itself failed
 * (the tree is killed then as well). */
int supervise(const struct supervision *run, int setup_writer);

#endif
