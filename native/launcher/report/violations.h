/* Refusals, each reported once: a repeated one is only counted. */
#ifndef ION_VIOLATIONS_H
#define ION_VIOLATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "supervise/notify.h"

#define VIOLATIONS_MAX 256

struct violation {
	const char *kind;   /* "read", "write", "exec", "connect", "bind", "control" */
	const char *call;   /* the system call */
	const char *rule;   /* "unreadable", "outside", "protected", "denied-path", "denied-command", "network", "loopback",
	                     * "beyond-loopback", "outside-server", "unix-socket", "unknown-socket", "signal", "scheduling", "set-id" */
	const char *target; /* the resolved path, address or command line */
	const char *detail; /* the pattern or entry that matched, or "" */
};

/* Report a refusal the first time; later ones are counted by (kind, rule, target). */
void report_violation(const struct call *call, const struct violation *violation);

/* Report one that the kernel or the relay refused, for process `pid`; 0: unknown. Returns its number, or SIZE_MAX if it was not
 * new. */
size_t report_violation_of(const struct watch *watch, pid_t pid, const struct violation *violation);

/* Counts further refusals of that number; with SIZE_MAX, of those without a number. */
void count_more_violations(size_t number, uint64_t count);

/* Report one without a detail, of `call` itself. Returns `error`, the task's result. */
int refuse(const struct call *call, const char *kind, const char *rule, const char *target, int error);

/* Report the final count of each refusal, and how many kinds did not fit. */
void report_violation_counts(int control);

#endif
