/* The answer for one path of a call that changes, opens or removes a file. */
#ifndef ION_PATH_ANSWER_H
#define ION_PATH_ANSWER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "answer/files/write_calls.h"

struct manner {
	bool no_follow;
	bool arrives; /* the second path of a rename */
	bool no_replace; /* RENAME_NOREPLACE */
	bool removes, rmdir;
	const __u64 *opens; /* flags of an open for writing */
	unsigned wants;     /* WANTS_... */
};

/* Returns as a handler does. `resolved` is the path that was checked, or empty when it is unknown. */
int answer_path(const struct call *call, struct operand operand, struct manner manner, char resolved[PATH_MAX]);

#endif
