/* Files that are known by a name, so that a link or copy under another name is recognised. */
#ifndef ION_KNOWN_PROGRAMS_H
#define ION_KNOWN_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct known_program {
	const char *name, *path;
	struct stat info; /* as it was when the run began */
};

struct known_programs {
	struct known_program *list;
	size_t count;
};

/* Examine each file of `paths`, known by the name at the same position. Returns 0 or -ENOMEM. */
int look_at_programs(const char *const *names, const char *const *paths, struct known_programs *programs);

/* Whether `fd` is that file, or a copy of it. `info` is the status of `fd`. */
bool is_known_program(const struct known_program *program, int fd, const struct stat *info);

#endif
