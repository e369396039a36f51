/* Which folders, and `.git` files, this run has made: what the supervisor let be made and found there afterwards. The time of birth
 * alone does not say that: overlayfs copies what lies in a lower layer at the first write, and the copy is born then; FUSE and NFS
 * know no time of birth. */
#ifndef ION_MADE_FILES_H
#define ION_MADE_FILES_H

#include <stdbool.h>

/* What was born before this call was there before the run, whatever else says so. */
void remember_start(void);

/* A call that makes `path`, where nothing is, is let through. */
void note_made(const char *path);

/* A rename is let through. What lies at either path has to be known before by what it is: another file may have its name then. */
void note_moved(const char *from, const char *to);

enum age { NOT_THERE, WAS_THERE, MADE };

/* Of `path`, not through a link. NOT_THERE: nothing is there, or nothing of this type (S_IFDIR, S_IFREG). */
enum age age_of(const char *path, unsigned type);

#endif
