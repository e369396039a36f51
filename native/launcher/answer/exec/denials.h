/* What deny_commands and the rules that deny say of an execution: of every name that its program goes by, and of what the program runs
 * without executing it. The same for the look before the execution and the look after it. */
#ifndef ION_DENIALS_H
#define ION_DENIALS_H

#include <stdbool.h>

#include "answer/exec/executions.h"
#include "supervise/notify.h"

struct denial {
	const char *rule;   /* of the violation: "denied-command", "denied-rule"; NULL: nothing denies */
	const char *detail; /* the pattern, or the rule's prefix */
};

/* Has ion deny_commands or rules that deny? */
bool has_denials(const struct options *options);

/* The denial of an execution of `given`: `fd` its file (or -1), `resolved` its path ("" when that is not known). */
struct denial find_execution_denial(const struct call *call, const struct command *command, const char *given, int fd,
				    const char *resolved);

/* The denial of an image that already stands: `program` is its path. */
struct denial find_image_denial(const struct call *call, const struct command *command, int fd, const char *program);

/* Is it the shell that ion itself starts for the command, with the very words that ion gave it? The user's rules are about what that
 * shell runs. */
bool is_own_shell(const struct call *call, const struct command *command, int fd);

#endif
