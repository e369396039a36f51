/* The launcher's parent half: waits, forwards, limits, and at the end leaves no process behind. */
#ifndef ION_SUPERVISE_H
#define ION_SUPERVISE_H

#include <signal.h>
#include <sys/types.h>

#include "confine/cgroup.h"
#include "options/options.h"
#include "confine/streams.h"

struct supervision {
	const struct options *options;
	int control; /* to ion; its end of file means that ion is gone */
	int setup;   /* from the child: struct setup_message, then end of file when it has become the command */
	pid_t command;
	pid_t ion;
	int streams[STREAMS]; /* as they were given, where they are copies (handed_streams.h), or -1 */
	struct cgroup cgroup; /* of the run's own; folder -1: none */
	sigset_t early; /* signals that came before there was a command: it has not got them */
};

/* What the child says while it confines itself: `error` 0 = confined, and its descriptor table is its own; else the
 * step that failed. A successful exec closes the pipe. */
struct setup_message {
	int error;
	int listener, diag; /* with error 0: descriptors made by the child, or -1 */
	int streams[STREAMS]; /* likewise: standard streams as they were given (streams.h) */
	char step[32];
	char detail[220]; /* the path at fault, cut; the whole message is written in one (PIPE_BUF) */
};

/* Signals that the supervisor takes by descriptor; they are blocked before the fork, so that none is lost. */
void supervised_signals(sigset_t *set);

/* Takes `setup_writer`, the launcher's copy of the pipe's other end, which it closes once the child has its own table.
 * Serve until the command has ended and its whole tree is dead, then report. Returns 0, or -errno when the
 * machinery itself failed (the tree is killed then as well). */
int supervise(const struct supervision *run, int setup_writer);

#endif
