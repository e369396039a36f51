/* deny_commands globs: the same matcher, test vectors included, as src/shell/match/glob.ts. */
#ifndef ION_COMMAND_PATTERN_H
#define ION_COMMAND_PATTERN_H

#include <stdbool.h>

/* Whether `glob` matches the whole of `text`. Both are UTF-8. `*` is any run of characters (none, spaces, slashes), `?`
 * exactly one code point, everything else itself. Time is bounded by the product of the lengths, and linear with one `*`. */
bool glob_matches(const char *glob, const char *text);

#endif
