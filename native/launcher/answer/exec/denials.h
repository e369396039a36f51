/* Applies deny_commands and deny rules to an execution: to every name of its program, and to the programs that it runs without
 * executing them. The check before the execution and the one after it share this. */
#ifndef ION_DENIALS_H
#define ION_DENIALS_H

#include <stdbool.h>

#include "answer/exec/executions.h"
#include "supervise/notify.h"

struct denial {
	const char *rule;   /* of the violation: "denied-command", "denied-rule"; NULL: nothing denies */
	const char *detail; /* the pattern, or the rule's prefix */
};

/* Whether the config has deny_commands or rules that deny. */
bool has_denials(const struct options *options);

/* The denial of an execution of `given`: `fd` its file (or -1), `resolved` its path ("" when that is not known). */
struct denial find_execution_denial(const struct call *call, const struct command *command, const char *given, int fd,
				    const char *resolved);

/* The denial of a program that has already been loaded. `program` is its path. */
struct denial find_recheck_denial(const struct call *call, const struct command *command, int fd, const char *program);

/* Whether it is the shell that ion itself starts for the command, with exactly the words that ion gave it. The user's rules
 * are about the programs that this shell runs. */
bool is_own_shell(const struct call *call, const struct command *command, int fd);

#endif
