/* Entries of denied_paths for one place, and the current location of that place: another process may replace a folder on the way to
 * it by a link. The run itself makes no link there. */
#ifndef ION_DENIED_PLACES_H
#define ION_DENIED_PLACES_H

#include <stdbool.h>

#include "supervise/notify.h"

/* Whether a pattern is one path: it has no wildcards, or means everything below one folder. `place`, of PATH_MAX, gets it without
 * the escapes. */
bool is_place(const char *pattern, char *place);

/* Updates the locations, at most every few milliseconds. Called for each call that names a path. */
void look_at_places(const struct call *call);

/* The entry whose place, by a link on the way, is `path` or contains it. */
const char *place_by_link(const struct options *options, const char *path);

/* The entry with a place below `path`. A link at `path` would lead this entry elsewhere. */
const char *place_below(const struct options *options, const char *path);

#endif
