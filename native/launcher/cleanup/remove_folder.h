/* Removing a run's own folders, in the launcher and in ion. */
#ifndef ION_REMOVE_FOLDER_H
#define ION_REMOVE_FOLDER_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Remove a folder with all that is in it. The run's own tree is dead by then, but another run at the same time may write in
 * the same temp folder, and swap a part of it for a symlink: nothing is gone through by its path. What cannot be removed
 * stays. Returns whether it is gone. */
bool remove_folder(const char *folder);

/* The same for a NULL-terminated list: what ion would have removed after the run, had it lived. */
void remove_folders(const char **folders);

#ifdef __cplusplus
}
#endif

#endif
