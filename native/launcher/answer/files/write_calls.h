/* System calls that change names, files and metadata: the kind of each, and the registers that hold its operands. */
#ifndef ION_WRITE_CALLS_H
#define ION_WRITE_CALLS_H

#include "answer/files/write_rules.h"

/* The registers with a call's paths and AT_ flags, counted from 1. 0: it has none. `dirfd` 0: the current folder. `path` 0:
 * the file of the descriptor. */
struct operand {
	unsigned char dirfd, path, flags;
	enum use use;
};

enum write_kind { CHANGES, REMOVES, REMOVES_FOLDER, RENAMES, LINKS };

struct write_call {
	int nr;
	enum write_kind kind;
	struct operand operands[2]; /* the second of RENAMES and LINKS */
};

/* NULL: not one of these calls. Opens have their flags in a register as well (writes.c). */
const struct write_call *find_write_call(int nr);

#endif
