/* Hooks of repositories below the workspace, which no list of paths names. */
#ifndef ION_HOOKS_H
#define ION_HOOKS_H

#include <stdbool.h>

/* Repositories that are older than this call were there before the run. */
void remember_start(void);

/* Is `path` (canonical) the hooks folder of a repository, or in it, and was that repository there before the run? */
bool is_hook_of_old(const char *path);

/* The same of a repository that the run has made: then the hook is its own, and only told. */
bool is_hook_of_new(const char *path);

/* The git folder itself of a repository that was there: moved away, its hooks could be written under another name. */
bool is_old_git_folder(const char *path);

#endif
