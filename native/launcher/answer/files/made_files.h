/* The folders, the `.git` files and the files with a denied name that this run created: the supervisor allowed the call and
 * found the file afterwards. The time of birth alone does not prove that. overlayfs copies a file of a lower layer at the first
 * write, and the copy is born then. FUSE and NFS have no time of birth. */
#ifndef ION_MADE_FILES_H
#define ION_MADE_FILES_H

#include <stdbool.h>

/* A file that was born before this call existed before the run, whatever the table says. */
void remember_start(void);

/* Notes that the run is allowed a call that creates `path`, where no file exists yet. */
void note_made(const char *path);

/* Notes that the run is allowed a rename. The caller identifies the files at both paths before: afterwards another file may have
 * the name. */
void note_moved(const char *from, const char *to);

enum age { NOT_THERE, WAS_THERE, MADE };

/* The age of `path`, without following a link. NOT_THERE: no file of this type (S_IFDIR, S_IFREG) exists there. */
enum age age_of(const char *path, unsigned type);

/* Whether `path` is a file or folder that the run made. */
bool run_made(const char *path);

#endif
