/* The launcher's reports to ion: JSON lines on the control channel. */
#ifndef ION_REPORT_H
#define ION_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

/* Lines are queued, and sent as ion reads them: no call here waits. */
bool report_waits(void);
void report_flush(int control);

/* Send the queue, waiting at most `limit_ms` whenever ion reads nothing. For the end. */
void report_drain(int control, int limit_ms);

/* Lines that found no room in the queue. */
unsigned long long report_dropped(void);

/* A step of the set-up failed, and no part of the command has run. `detail` may be NULL. */
void report_failed(int control, const char *step, int error, const char *detail);

/* Processes are reported with their number on the machine, and with that in the run's PID namespace, `inside`; 0: none. */

/* The command's program has been executed. */
void report_started(int control, int pid, int inside);

/* A limit of the whole tree was passed, and the tree is being killed. With a `pid`: this process has reached a limit of its own. */
void report_limit(int control, const char *limit, uint64_t value, int pid, int inside);

/* The command was stopped by `signal` (job control). */
void report_stopped(int control, int signal);

struct violation;

/* The process that asked, then the one that started it, and so on. `whole`: the last one is the command itself. */
#define CHAIN_MAX 24
struct chain {
	size_t length;
	bool whole;
	char words[CHAIN_MAX][160];
};

/* A refusal, with its number in this run, and who asked. */
void report_refusal(int control, size_t number, int pid, int inside, const char *program, const struct chain *chain,
		    const struct violation *violation);

/* The total count of refusal `number`, and whether the process that it was reported for failed afterwards. */
void report_refusal_end(int control, size_t number, uint64_t count, bool failed);

/* The run has reached a name that its network table allows. */
void report_reached_name(int control, const char *name, unsigned port);

/* Asks ion for a question to the user about a name that the run has looked up. ion answers with a byte: FIRST_ANSWER, plus twice the number,
 * plus one for a yes. */
#define FIRST_ANSWER '0'
void report_asked_name(int control, size_t number, const char *name, int pid, int inside, const char *program);

/* The question is over. `counts`: ion's answer was passed on as it is. Otherwise it was a no. */
void report_answer(int control, size_t number, bool counts);

/* ion sends this byte before it shows a question again. The answer: the tree is stopped. */
#define HOLD_AGAIN 'h'
void report_held(int control);

/* Refusals of further kinds, which were not reported one by one. */
void report_unreported(int control, uint64_t count);

/* A call that may change `path`, a path that ion guards, was allowed. There are few of them, and they always find room. */
void report_watched(int control, const char *path);

/* A call that may change `path`, in a repository that the run has created, was allowed. Returns false if the queue has no room. */
bool report_touched(int control, const char *path);
/* Sent once, when such a call is not reported any more. */
void report_more_touched(int control, const char *path);

/* Report an executed program and its arguments (cut at a few thousand bytes). */
void report_exec(int control, int pid, int inside, const char *program, const char *const *words, size_t count);

struct ending {
	int status;         /* as from waitpid(2) */
	const char *because; /* "itself", "timeout", "limit", "signal", "ion-gone" */
	int signal;         /* with "signal": the signal that ion or another process sent */
	int left;           /* processes that the command left running, or that were killed; negative: -errno, some remain */
	struct rusage usage; /* of the whole tree */
	const char *connections; /* of a network table: "exact", "accepted first"; "" without one */
};

/* The run is over and the tree is gone. */
void report_finished(int control, const struct ending *ending);

#endif
