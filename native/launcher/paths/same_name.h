/* One file by two spellings. To the kernel they are two names (no mount of ours need be on the other one), to a file system perhaps one:
 * FAT, exFAT and NTFS, HFS+, shares of Windows and macOS, casefolded folders of ext4, f2fs and tmpfs. */
#ifndef ION_SAME_NAME_H
#define ION_SAME_NAME_H

#include <stddef.h>

enum spelling { ANOTHER, FOLDED, SHORT };

/* How the start of `path` spells `entry`, and is not the same bytes; of `length` bytes, up to the end of a name. Both canonical.
 *
 * FOLDED: some file system takes them for one: letters of the other case, with what Unicode folds to an ASCII letter; code points that
 * are ignored; blanks and dots at a name's end, which FAT drops. SHORT: a name of it may be FAT's short one of what is there (`GIT~1`):
 * only the file system knows. */
enum spelling spelling_of(const char *path, const char *entry, size_t *length);

#endif
