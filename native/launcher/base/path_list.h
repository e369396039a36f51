/* Lists of canonical paths, NULL-terminated. */
#ifndef ION_PATH_LIST_H
#define ION_PATH_LIST_H

#include <stdbool.h>

/* Whether `path` is the folder `root`, or lies below it. */
bool is_within(const char *path, const char *root);

/* The first of `roots` that contains `path`, or NULL. */
const char *find_root(const char *const *roots, const char *path);

bool is_listed(const char *const *list, const char *path);

#endif
