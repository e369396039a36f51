/* Patterns of denied_paths, with the decision's meaning (picomatch, with dotfiles). ion has expanded the braces. */
#ifndef ION_PATH_PATTERN_H
#define ION_PATH_PATTERN_H

#include <stdint.h>

/* The most components of a pattern. */
#define PATTERN_COMPONENTS_MAX 63

/* How far an absolute `path` matches an absolute `pattern`: bit n is set when its components match the first n of the pattern.
 * 0: no path at or below it can match. Both UTF-8. In a component `*` is any run of characters, `?` one, `[a-z]` one of a set,
 * `[^a-z]` one outside a set, and `\` quotes the next one. The component `**` is any number of components. ASCII letters match
 * in either case. Time is bounded by the product of the lengths. */
uint64_t pattern_reach(const char *pattern, const char *path);

/* The bit of the whole pattern: a path whose reach contains it is denied, with everything below. */
uint64_t pattern_end(const char *pattern);

#endif
