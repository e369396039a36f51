/* The files that git runs or obeys in repositories below the workspace. No list of paths names these repositories. */
#ifndef ION_GIT_REPOSITORIES_H
#define ION_GIT_REPOSITORIES_H

#include <stdbool.h>

#include "options/options.h"

enum guard {
	UNGUARDED,
	HOOK,   /* the hooks folder or a file in it; attributes; files that lead to another git folder */
	CONFIG, /* may change by a plain rename onto it (git_change.h) */
	HOLDER, /* a folder renamed to this place could contain a HOOK */
};

/* The role of `path` (canonical) in a repository that existed before the run. Repositories that `options` names are guarded by
 * its lists. */
enum guard guard_of(const struct options *options, const char *path);

/* Whether ion must look at this path after the run, because the run created its repository. A hook there belongs to the run,
 * and ion reports it. Sets `reported`: `path` itself, a `.git` that was added, or the HEAD of a folder that this write turns
 * into a git folder. */
bool must_be_reported(const char *path, char *reported);

/* Whether git moves a submodule's git folder to this place (absorbgitdirs). If the superproject existed before the run,
 * hooks there stay guarded. */
bool is_for_submodules(const struct options *options, const char *path);

/* Without one of these files an existing bare repository is not recognised, and the run could write its hooks meanwhile. */
bool is_part_of_old_git_folder(const char *path);

/* The git folder itself of a repository that existed before the run. If it were moved away, its hooks could be written under
 * another name. */
bool is_old_git_folder(const char *path);

#endif
