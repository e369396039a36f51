/* Removes a run's own folders, in the launcher and in ion. */
#ifndef ION_REMOVE_FOLDER_H
#define ION_REMOVE_FOLDER_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Remove a folder with all its contents. The run's own tree is dead by then, but a concurrent run may write in the same temp
 * folder and swap a part of it for a symlink. So no step follows a path. Entries that cannot be removed stay. Returns whether
 * the folder is gone. */
bool remove_folder(const char *folder);

/* The same for a NULL-terminated list: the folders that ion would have removed after the run, had it lived. */
void remove_folders(const char **folders);

#ifdef __cplusplus
}
#endif

#endif
