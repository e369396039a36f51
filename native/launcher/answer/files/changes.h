/* Reports of changes that were allowed, so that ion looks at the file after the run. */
#ifndef ION_CHANGES_H
#define ION_CHANGES_H

#include "answer/files/write_rules.h"

/* Reports each watched path that may change, once: one at or below a path that is written, or in a folder that is moved. */
void report_change(const struct call *call, const char *path, enum use use);

/* Report that a config itself may change, not its private copy. */
void report_bare(const struct call *call, const char *path);

/* The same for an allowed rename: paths reported below `from` are now below `to`. */
void report_moved(const struct call *call, const char *from, const char *to);

#endif
