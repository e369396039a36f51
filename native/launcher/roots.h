/* Paths below others, by whole components. All canonical. */
#ifndef ION_ROOTS_H
#define ION_ROOTS_H

#include <stdbool.h>

bool is_within(const char *path, const char *root);

/* The root of a NULL-terminated list that `path` lies in, or NULL. */
const char *find_root(const char *const *roots, const char *path);

#endif
