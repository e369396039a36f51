/* One file with two spellings. To the kernel they are two names, and a mount on one does not cover the other. To a file system
 * they may be one: FAT, exFAT and NTFS, HFS+, shares of Windows and macOS, casefolded folders of ext4, f2fs and tmpfs. */
#ifndef ION_SAME_NAME_H
#define ION_SAME_NAME_H

#include <stddef.h>

enum spelling { ANOTHER, FOLDED, SHORT };

/* How the start of `path` spells `entry` with other bytes. `length`: the bytes up to the end of a name. Both canonical.
 *
 * FOLDED: some file system treats them as one: other case, characters that Unicode folds to an ASCII letter, ignored code
 * points, blanks and dots at a name's end, which FAT drops. SHORT: a name in it may be the FAT short name of an existing file
 * (`GIT~1`): only the file system knows. */
enum spelling spelling_of(const char *path, const char *entry, size_t *length);

#endif
