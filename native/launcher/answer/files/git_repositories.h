/* Repositories below the workspace, which no list of paths names: what git runs or obeys in them. */
#ifndef ION_GIT_REPOSITORIES_H
#define ION_GIT_REPOSITORIES_H

#include <stdbool.h>

#include "options/options.h"

enum guard {
	UNGUARDED,
	HOOK,   /* the folder of hooks, or in it; attributes, and what leads to another git folder */
	CONFIG, /* may change by a plain rename onto it (git_change.h) */
	HOLDER, /* a folder that is renamed there could bring a HOOK along */
};

/* What `path` (canonical) is to a repository that was there before the run. Those that `options` names are guarded by its
 * lists. */
enum guard guard_of(const struct options *options, const char *path);

/* What is to be looked at when the run is over, in a repository that the run has made: the hook is its own, and is reported. Sets
 * `told`: `path` itself, a `.git` that came, or the HEAD of a folder that this write makes one of git's. */
bool is_to_be_told(const char *path, char *told);

/* Is it where git moves a submodule's git folder (absorbgitdirs)? Of a superproject that was there: in it hooks stay guarded. */
bool is_for_submodules(const struct options *options, const char *path);

/* Without one of these a bare repository that was there is not known as one, and its hooks could be written meanwhile. */
bool is_part_of_old_git_folder(const char *path);

/* The git folder itself of a repository that was there: moved away, its hooks could be written under another name. */
bool is_old_git_folder(const char *path);

#endif
