/* The names under which folders list a file. A path may call it otherwise: by a short name of FAT or NTFS (`SECRET~1.TXT`), which no
 * folder lists, or with other letters where a file system folds them. */
#ifndef ION_LISTED_NAMES_H
#define ION_LISTED_NAMES_H

#include <stdbool.h>

/* Calls `visit` for `path` with the listed names in the place of the unclear ones, until it returns true. Not for a path that has
 * only listed names. Returns whether `visit` did. A file whose inode number changes at each look may be any file of its folder: `visit`
 * sees all of them. */
bool visit_listed_names(const char *path, bool (*visit)(const char *path, void *argument), void *argument);

#endif
