/* Whether a change of a git config is one that git's everyday commands make. */
#ifndef ION_GIT_CHANGE_H
#define ION_GIT_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

/* True only if the texts differ in whole lines of the plainest form, and each of these lines sets a key that no value can turn
 * into a program. Every change that needs a real reader of the format is refused. ion has that reader, and uses it after the
 * run (src/sandbox/autorun). */
bool is_plain_change(const char *base, size_t base_length, const char *next, size_t next_length);

#endif
