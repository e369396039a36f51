/* Is a change of a git config one that git's everyday commands make? */
#ifndef ION_GIT_CHANGE_H
#define ION_GIT_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

/* True only when the texts differ in whole lines of the plainest form, and each of these lines sets a key that no value
 * can turn into a program. Everything that would need a real reader of the format is refused: ion has that one, and
 * uses it where there is time (src/sandbox/autorun). */
bool is_plain_change(const char *base, size_t base_length, const char *next, size_t next_length);

#endif
