/* Entries of denied_paths that mean one place, and where that place is: another process may put a link in the place of a folder on the
 * way to it. The run itself makes no link there. */
#ifndef ION_DENIED_PLACES_H
#define ION_DENIED_PLACES_H

#include <stdbool.h>

#include "supervise/notify.h"

/* A pattern without wildcards, or with all below one folder, is one path. `place`, of PATH_MAX, gets it without the escapes. */
bool is_place(const char *pattern, char *place);

/* Looks where the places are, at most every few milliseconds: for each call that names a path. */
void look_at_places(const struct call *call);

/* The entry whose place is `path`, or contains it, by a link on the way. */
const char *place_by_link(const struct options *options, const char *path);

/* The entry with a place below `path`. A link at `path` would lead this entry elsewhere. */
const char *place_below(const struct options *options, const char *path);

#endif
