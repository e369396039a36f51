/* Streams that the run was given, and their directions. The kernel lets a pipe be reopened in either direction by /proc/self/fd/N,
 * and Landlock does not check that (security/landlock/fs.c, is_nouser_or_private). The attack: a command writes into a pipe that a
 * shell outside reads as its script. The same holds for a file without a name, which bash and zsh create for a here-document.
 * Landlock treats it as a file of its former folder, the temp folder. A file that was given for appending could be written
 * anywhere, or truncated, once it is reopened.
 *
 * A pipe for writing and a removed file for reading are handled elsewhere: see handed_streams.h. */
#ifndef ION_GIVEN_STREAMS_H
#define ION_GIVEN_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "options/options.h"

#define WANTS_READ 1u
#define WANTS_WRITE 2u

/* Examine the streams of this process, which are those of the run. Returns the first one that was given for appending and could not be
 * recognised later, because its inode number changes at each look, or -1. */
int remember_given(const struct options *options);

/* Whether this pipe is one of the given streams. */
bool was_given(const struct stat *info);

/* The name of the stream (`/dev/stdin`) that is this pipe, if no stream was given in the wanted direction (WANTS_...).
 * Otherwise NULL. */
const char *refused_pipe(const struct stat *info, unsigned wanted);

/* The same for a removed file with the kernel's name `name` (`/tmp/sh-thd.x (deleted)`). */
const char *refused_gone(const char *name, unsigned wanted);

/* The descriptor of the stream that is this file, given for appending and not writable by a name. Otherwise -1. */
int appended_stream(const struct stat *info);
int appended_and_gone(const char *name); /* by the kernel's name for it */
const char *stream_name(int stream);

struct given_ways {
	bool one_way; /* a pipe or a removed file that was given for one direction */
	bool unread;  /* a removed file that was given for writing: opens for reading are notified as well */
	bool appended;
};
struct given_ways ways_given(void);

/* Whether `name` is the kernel's name of a stream that no path of the run leads to. */
bool is_gone_stream(const char *name);

#endif
