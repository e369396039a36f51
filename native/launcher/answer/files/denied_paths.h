/* denied_paths that no mount masks: patterns, and what does not exist yet. Best effort: another thread can change the path
 * after the look. */
#ifndef ION_DENIED_PATHS_H
#define ION_DENIED_PATHS_H

#include <stdbool.h>

#include "supervise/notify.h"

/* The entry of denied_paths (as the config has it) that holds `path`, or NULL. Of a path that does not `exist` only what
 * can still be opened by a descriptor: a program that looks for such a file may hear that there is none. */
const char *denied_by(const struct options *options, const char *path, bool exists);

/* Refuse the call, and tell. `kind` is "read" or "write". Returns -EACCES. */
int refuse_denied(const struct call *call, const char *kind, const char *entry, const char *path);

/* A rename of what is denied, or of a folder with something below that would not be denied any more: -EXDEV, as
 * between file systems, so that mv(1) copies, and each file is looked at. Returns CONTINUE or -errno. */
int judge_denied_move(const struct call *call, const char *from, const char *to);

#endif
