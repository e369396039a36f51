/* denied_paths that no mount masks: patterns, and paths that do not exist yet. Best effort: another thread can change the path
 * after the check. */
#ifndef ION_DENIED_PATHS_H
#define ION_DENIED_PATHS_H

#include <stdbool.h>

#include "supervise/notify.h"

/* The entry of denied_paths (as in the config) that covers `path`, or NULL. `exists`: whether there is a file at `path`. If there
 * is none, only the kernel's name of a removed file counts: a descriptor can still open that one. For any other missing file a
 * program may get ENOENT. */
const char *denied_by(const struct options *options, const char *path, bool exists);

/* The same for a file that the run makes at `path`, or moves there. Only an entry for one place counts (`a/b`, or all below it). A
 * file with a name such as *.pem may come with any package: it can be made, but not read. */
const char *denied_place(const struct options *options, const char *path);

/* Refuse the call and report it. `kind` is "read" or "write". Returns -EACCES. */
int refuse_denied(const struct call *call, const char *kind, const char *entry, const char *path);

/* A folder may contain a file that the rename would take out of a denied place, or into one. Such a rename gets -EXDEV, as between
 * file systems. mv(1) then copies, and the supervisor checks each file. Returns CONTINUE or -errno. */
int answer_denied_move(const struct call *call, const char *from, const char *to);

#endif
