/* What may be changed, and what is told of it. */
#ifndef ION_WRITE_RULES_H
#define ION_WRITE_RULES_H

#include <stdbool.h>

#include "supervise/notify.h"

/* Of an existing file: read, write, change what it is besides its contents, the same of a link itself; a file that may be
 * made; a name that must be new, and one that goes or is replaced. */
/* From NEW to NEW_LINK nothing may be there yet; ENTRY is the name itself, which is moved or removed. */
enum use { READ, WRITE, ATTRIBUTE, LINK_ATTRIBUTE, CREATE, NEW, NEW_FOLDER, NEW_LINK, ENTRY };

/* Which rule refuses a change at `path`, or NULL. `arrives`: something is renamed to it. */
const char *refused_by(const struct options *options, const char *path, enum use use, bool arrives);

/* Is the entry `path` of a write root another one, or a folder around it? What is protected in that is known by its path. */
bool holds_root(const struct options *options, const char *path);

/* Is it the config of one of the workspace's own git folders? It changes in place, or by a rename onto it; nothing takes it away. */
bool is_own_config(const struct options *options, const char *path);

/* Tell, once for each, that a watched path may change: it lies at or below a path that is written, or in a folder that
 * is moved. */
void tell_touched(const struct call *call, const char *path, enum use use);

/* Tell that a config may change itself, and not its private copy. */
void tell_bare(const struct call *call, const char *path);

/* The same of a rename that is let through: what was told of below `from` lies below `to` now. */
void tell_moved(const struct call *call, const char *from, const char *to);

/* Would the call work without the sandbox? What the caller could not write anyway is no refusal of ours. Asked in the
 * launcher's own view, where nothing is read-only, with the caller's ids. */
bool user_could(const struct call *call, const char *path, bool exists, enum use use);

#endif
