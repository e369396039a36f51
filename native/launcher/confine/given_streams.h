/* Streams that the run was given, and how. The kernel lets a pipe be opened again in either direction, by /proc/self/fd/N, and Landlock
 * has no say in it (security/landlock/fs.c, is_nouser_or_private): what is put into one that others read, a script that is piped into a
 * shell, is theirs. So is a file without a name, as bash and zsh make one of a here-document: Landlock knows it by the folder that it
 * was in, which is the temp folder. What was given for appending may be written anywhere, or be cut, once it is open.
 *
 * A pipe for writing and a removed file for reading are not among them any more: see handed_streams.h. */
#ifndef ION_GIVEN_STREAMS_H
#define ION_GIVEN_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "options/options.h"

#define WANTS_READ 1u
#define WANTS_WRITE 2u

/* Look at the streams of this process, which are those of the run. */
void remember_given(const struct options *options);

/* Is this pipe one of them? */
bool was_given(const struct stat *info);

/* The name of the stream (`/dev/stdin`) that is this pipe, when no stream was given in the way that is wanted (WANTS_...); else NULL. */
const char *refused_pipe(const struct stat *info, unsigned wanted);

/* The same of the file that is gone and that the kernel calls `name` (`/tmp/sh-thd.x (deleted)`). */
const char *refused_gone(const char *name, unsigned wanted);

/* The descriptor of the stream that is this file, given for appending and not writable by a name; else -1. */
int appended_stream(const struct stat *info);
int appended_and_gone(const char *name); /* by the kernel's name for it */
const char *stream_name(int stream);

struct given_ways {
	bool one_way; /* a pipe or a removed file that was given for one direction */
	bool unread;  /* a removed file that was given for writing: who opens it for reading is asked about as well */
	bool appended;
};
struct given_ways ways_given(void);

#endif
