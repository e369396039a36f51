/* One file with two spellings. To the kernel they are two names, and a mount on one does not cover the other. To a file system
 * they may be one: FAT, exFAT and NTFS, HFS+, shares of Windows and macOS, casefolded folders of ext4, f2fs and tmpfs. */
#ifndef ION_SAME_NAME_H
#define ION_SAME_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum spelling { ANOTHER, FOLDED, UNCLEAR };

/* Reports whether the start of `path` is another spelling of `entry`. Both are canonical. `*length` is set to the number of bytes
 * of `path` that were compared. They end at the end of a name.
 *
 * FOLDED: some file system treats the two as the same name. They differ in case, in characters that Unicode folds to ASCII
 * letters, in ignored code points, or in spaces and dots at the end of a name, which FAT drops. UNCLEAR: a name in `path` may be
 * the entry's (see is_unclear). Only the file system knows. */
enum spelling spelling_of(const char *path, const char *entry, size_t *length);

/* Whether both names fold to the same name. A name ends with the text or with a slash. */
bool folds_alike(const char *name, const char *wanted);

/* Some FUSE file systems give a file another inode number at each look: then no two numbers show that two files are different. `path`
 * may be empty, for the file of `folder`. */
bool changes_number(int folder, const char *path, const struct stat *before);

/* Whether both paths lead to one file. They count as one file where the file system changes its inode numbers at each look. */
bool is_same_file(const char *a, const char *b);

/* Whether `path` is the entry in another spelling, or lies below it. For an existing file the file system shows whether it is
 * another file. A missing file counts as the same. */
bool spells_otherwise(const char *path, const char *entry, bool below);

/* Writes `path`, of at most PATH_MAX bytes, to `plain`, without the characters that some file systems ignore. Case stays. Returns
 * whether they differ. */
bool plain_spelling(const char *path, char *plain);

/* Whether only the file system knows which file an existing name means: it may be a short name of FAT (`GIT~1`), or have letters
 * that some file systems take for others (by case, or an accent of its own). */
bool is_unclear(const char *name, size_t length);

#endif
