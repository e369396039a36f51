#include "answer/exec/known_programs.h"

#include <errno.h>
#include <stdlib.h>

#include "answer/exec/program_identity.h"

int look_at_programs(const char *const *names, const char *const *paths, struct known_programs *programs)
{
	size_t count = 0;

	while (paths[count])
		count++;
	*programs = (struct known_programs){ .list = calloc(count + 1, sizeof(*programs->list)) };
	if (!programs->list)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct known_program *program = &programs->list[programs->count];
		*program = (struct known_program){ .name = names[i], .path = paths[i] };
		if (stat(paths[i], &program->info) == 0)
			programs->count++;
	}
	return 0;
}

bool is_known_program(const struct known_program *program, int fd, const struct stat *info)
{
	const struct stat *known = &program->info;

	if (info->st_dev == known->st_dev && info->st_ino == known->st_ino)
		return true;
	return info->st_size == known->st_size && is_same_program(fd, program->path);
}
