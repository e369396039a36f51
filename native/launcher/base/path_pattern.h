/* Patterns of denied_paths, as the decision reads them (picomatch, with dotfiles), braces taken apart by ion. */
#ifndef ION_PATH_PATTERN_H
#define ION_PATH_PATTERN_H

#include <stdint.h>

/* More components a pattern must not have. */
#define PATTERN_COMPONENTS_MAX 63

/* How far an absolute `path` takes one through an absolute `pattern`: bit n is set when its components stand for the first n of the
 * pattern. 0: nothing at or below the path can match. Both UTF-8; in a component `*` is any run of characters, `?` one, `[a-z]`
 * one of a set, `[^a-z]` one of no set, `\` takes the next one as it is; the component `**` is any number of components. ASCII letters are
 * the same in either case. Time is bounded by the product of the lengths. */
uint64_t pattern_reach(const char *pattern, const char *path);

/* The bit of the whole pattern: with it in its reach a path is denied, with all below. */
uint64_t pattern_end(const char *pattern);

#endif
