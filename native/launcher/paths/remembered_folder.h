/* The current folder of a thread, remembered between its calls: reading it takes as long as looking the name up.
 *
 * Only where each change of it is notified before it happens: chdir(2), fchdir(2), and the rename or removal of any folder. Each of
 * them forgets all folders. Processes outside can rename a folder too, so none is remembered for longer than KEPT_MS. A thread can share
 * its current folder with others (CLONE_FS), which may look between the notification and the change: nothing is remembered until
 * KEPT_MS after a change. No number of a thread is used again within that time. What rests on this could be raced before, by exactly such a thread. */
#ifndef ION_REMEMBERED_FOLDER_H
#define ION_REMEMBERED_FOLDER_H

#include <stdbool.h>
#include <sys/types.h>

/* Copy the folder of `thread` to `path`, which has PATH_MAX bytes. Returns its length; 0: not remembered. */
size_t recall_folder(pid_t thread, char *path);

/* To be called before the folder is read. The value is for remember_folder, which forgets what changed meanwhile. */
unsigned begin_reading_folder(void);
void remember_folder(unsigned begun, pid_t thread, const char *path, size_t length);

/* Some current folder is about to change, or its path. */
void forget_folders(void);

#endif
