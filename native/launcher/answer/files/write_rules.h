/* The rules for changes of files. */
#ifndef ION_WRITE_RULES_H
#define ION_WRITE_RULES_H

#include <stdbool.h>

#include "supervise/notify.h"

/* The effect of a call at a path. The first four need an existing file: read it, write it, change its metadata, change the metadata
 * of a link itself. The others: create a file if it is missing, make a new name, and remove or replace a name. */
/* From NEW to NEW_LINK the path may not exist yet. ENTRY is the name itself, which is moved or removed. */
enum use { READ, WRITE, ATTRIBUTE, LINK_ATTRIBUTE, CREATE, NEW, NEW_FOLDER, NEW_LINK, ENTRY };

/* The rule that refuses a change at `path`, or NULL. `arrives`: a file is renamed to it. */
const char *refused_by(const struct options *options, const char *path, enum use use, bool arrives);

/* Whether the entry `path` of a write root is another write root, or contains one. The protected files of that root are
 * known by their paths. */
bool holds_root(const struct options *options, const char *path);

/* Whether it is the config of one of the workspace's own git folders. It changes in place or by a rename onto it. No call
 * removes it. */
bool is_own_config(const struct options *options, const char *path);

/* Whether the call would work without the sandbox. If the task could not write there anyway, ion does not report a refusal.
 * Checked in the launcher's own view, where no mount is read-only, with the task's ids. */
bool user_could(const struct call *call, const char *path, bool exists, enum use use);

#endif
