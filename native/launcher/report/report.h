/* What the launcher tells ion: JSON lines on the control channel. */
#ifndef ION_REPORT_H
#define ION_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

/* Lines are queued, and sent as ion takes them: nothing here waits. */
bool report_waits(void);
void report_flush(int control);

/* Send what is queued, waiting at most `limit_ms` each time that ion takes nothing. For the end. */
void report_drain(int control, int limit_ms);

/* Lines that found no room in the queue. */
unsigned long long report_dropped(void);

/* A step of the set-up that failed; nothing of the command has run. `detail` may be NULL. */
void report_failed(int control, const char *step, int error, const char *detail);

/* The command's program has been executed. */
void report_started(int control, int pid);

/* A limit of the whole tree was passed, and the tree is being killed; or with a `pid` one that this process has met. */
void report_limit(int control, const char *limit, uint64_t value, int pid);

/* The command was stopped by `signal` (job control). */
void report_stopped(int control, int signal);

struct violation;

/* A refusal, with its number in this run. */
void report_refusal(int control, size_t number, int pid, const char *program, const struct violation *violation);

/* How often refusal `number` happened in all. */
void report_refusal_count(int control, size_t number, uint64_t count);

/* Refusals of further kinds that were not told one by one. */
void report_untold(int control, uint64_t count);

/* A call that may change `path`, which ion looks after, was let through. There are few of them, which always find room. */
void report_watched(int control, const char *path);

/* The same in a repository that the run has made; false when there is no room. Of the first one that is not told any more, the
 * second line is. */
bool report_touched(int control, const char *path);
void report_more_touched(int control, const char *path);

/* A program that was executed, and its words after the first (cut at a few thousand bytes). */
void report_exec(int control, int pid, const char *program, const char *const *words, size_t count);

struct ending {
	int status;         /* as from waitpid(2) */
	const char *because; /* "itself", "timeout", "limit", "signal", "ion-gone" */
	int signal;         /* with "signal": the one that ion or somebody else sent */
	int left;           /* processes of the tree that the command left running, or that were killed; negative: -errno, some remain */
	struct rusage usage; /* of the whole tree */
};

/* The run is over and the tree is gone. */
void report_finished(int control, const struct ending *ending);

#endif
