/* The current folder of a thread, remembered between its calls. To read it takes as long as to look up the name.
 *
 * Used only where each change is notified before it happens: chdir(2), fchdir(2), and the rename or removal of any folder. Each of
 * them forgets all folders. Processes outside can rename a folder too, so none is remembered for longer than KEPT_MS. A thread can
 * share its current folder with others (CLONE_FS). One of these may be read between the notification and the change, so nothing is
 * remembered until KEPT_MS after a change. The kernel does not reuse the number of a thread within that time. Without this memory
 * such a thread could already race the checks that use it. */
#ifndef ION_REMEMBERED_FOLDER_H
#define ION_REMEMBERED_FOLDER_H

#include <stdbool.h>
#include <sys/types.h>

/* Copy the folder of `thread` to `path`, which has PATH_MAX bytes. Returns its length; 0: not remembered. */
size_t recall_folder(pid_t thread, char *path);

/* Called before the folder is read. Returns a value for remember_folder, which does not store a folder that changed meanwhile. */
unsigned begin_reading_folder(void);
void remember_folder(unsigned begun, pid_t thread, const char *path, size_t length);

/* Called before a current folder, or its path, changes. */
void forget_folders(void);

#endif
