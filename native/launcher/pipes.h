/* Pipes that the run was given as standard streams. Landlock lets every pipe be opened again (security/landlock/fs.c,
 * is_nouser_or_private), by /proc/self/fd/N, and in either direction: what is put into one that others read, a script that is piped
 * into a shell, is theirs. So is a file without a name, as bash and zsh make one of a here-document: no mount of the run's own has it,
 * and Landlock knows it by the folder that it was in, which is the temp folder. */
#ifndef ION_PIPES_H
#define ION_PIPES_H

#include <stdbool.h>
#include <sys/stat.h>

/* Look at the streams of this process, which are those of the run. */
void remember_pipes(void);

/* Is this pipe one of them? */
bool was_given(const struct stat *info);

/* The name of the stream (`/dev/stdin`) that is this pipe, when it was given for reading only, and as no other stream for writing;
 * else NULL. */
const char *only_read_as(const struct stat *info);

/* The same of the file that is gone and that the kernel calls `name` (`/tmp/sh-thd.x (deleted)`). */
const char *gone_and_only_read_as(const char *name);

#endif
