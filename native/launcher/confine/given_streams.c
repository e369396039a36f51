#define _GNU_SOURCE
#include "confine/given_streams.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/path_list.h"
#include "paths/same_name.h"
#include "supervise/pump.h"
#include "confine/streams.h"

static const char *const names[STREAMS] = { "/dev/stdin", "/dev/stdout", "/dev/stderr" };

static struct {
	bool is_pipe, is_appended;
	bool is_gone; /* no path of the run's leads to it */
	unsigned ways; /* WANTS_... that it was given for */
	dev_t device;
	ino_t inode;
} given[STREAMS];

static bool is_below(const char *const *roots, int stream)
{
	char link[64], path[PATH_MAX];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", stream);
	ssize_t length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0)
		return false;
	path[length] = '\0';
	return find_root(roots, path);
}

/* In a file system of its own the run has no such file. It reaches the file only by the descriptor, on the mount of its
 * opening. */
static bool is_hidden(const struct options *options, int stream)
{
	return options->view && !is_below(options->view_roots, stream) && !is_below(options->writable, stream);
}

int remember_given(const struct options *options)
{
	struct stat info;
	int unknown = -1;

	for (int stream = 0; stream < STREAMS; stream++) {
		int flags = fcntl(stream, F_GETFL);
		if (flags < 0 || fstat(stream, &info) < 0)
			continue;
		int access = flags & O_ACCMODE;
		bool writes = access != O_RDONLY;
		given[stream].is_pipe = S_ISFIFO(info.st_mode);
		given[stream].is_gone = S_ISREG(info.st_mode) && (info.st_nlink == 0 || is_hidden(options, stream));
		given[stream].is_appended = S_ISREG(info.st_mode) && writes && (flags & O_APPEND) &&
					    (info.st_nlink == 0 || !is_below(options->writable, stream));
		/* The stream that the run continues to use is its own. */
		given[stream].ways = is_pumped(stream) ? WANTS_READ | WANTS_WRITE :
							 (access != O_WRONLY ? WANTS_READ : 0) | (writes ? WANTS_WRITE : 0);
		given[stream].device = info.st_dev;
		given[stream].inode = info.st_ino;
		if (unknown < 0 && given[stream].is_appended && changes_number(stream, "", &info))
			unknown = stream;
	}
	return unknown;
}

static bool is_stream(int stream, const struct stat *info)
{
	return given[stream].device == info->st_dev && given[stream].inode == info->st_ino;
}

bool was_given(const struct stat *info)
{
	for (int stream = 0; stream < STREAMS; stream++)
		if (given[stream].is_pipe && is_stream(stream, info))
			return true;
	return false;
}

/* One file may be several streams, each for another direction. */
static const char *refused(const bool same[STREAMS], unsigned wanted)
{
	const char *name = NULL;
	unsigned ways = 0;

	for (int stream = 0; stream < STREAMS; stream++) {
		if (!same[stream])
			continue;
		ways |= given[stream].ways;
		if (!name || (wanted & ~given[stream].ways))
			name = names[stream];
	}
	return wanted & ~ways ? name : NULL;
}

const char *refused_pipe(const struct stat *info, unsigned wanted)
{
	bool same[STREAMS];

	for (int stream = 0; stream < STREAMS; stream++)
		same[stream] = given[stream].is_pipe && is_stream(stream, info);
	return refused(same, wanted);
}

/* The path is read each time, because the folder of the file can be renamed. */
static bool is_called(int stream, const char *name)
{
	char link[64], path[PATH_MAX];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", stream);
	ssize_t length = readlink(link, path, sizeof(path) - 1);
	path[length > 0 ? length : 0] = '\0';
	return strcmp(path, name) == 0;
}

const char *refused_gone(const char *name, unsigned wanted)
{
	bool same[STREAMS];

	for (int stream = 0; stream < STREAMS; stream++)
		same[stream] = given[stream].is_gone && is_called(stream, name);
	return refused(same, wanted);
}

int appended_stream(const struct stat *info)
{
	for (int stream = 0; stream < STREAMS; stream++)
		if (given[stream].is_appended && is_stream(stream, info))
			return stream;
	return -1;
}

int appended_and_gone(const char *name)
{
	for (int stream = 0; stream < STREAMS; stream++)
		if (given[stream].is_appended && given[stream].is_gone && is_called(stream, name))
			return stream;
	return -1;
}

bool is_gone_stream(const char *name)
{
	for (int stream = 0; stream < STREAMS; stream++)
		if (given[stream].is_gone && is_called(stream, name))
			return true;
	return false;
}

const char *stream_name(int stream)
{
	return names[stream];
}

struct given_ways ways_given(void)
{
	struct given_ways all = { false, false, false };

	for (int stream = 0; stream < STREAMS; stream++) {
		bool nameless = given[stream].is_pipe || given[stream].is_gone;
		all.one_way |= nameless && given[stream].ways != (WANTS_READ | WANTS_WRITE);
		all.unread |= given[stream].is_gone && given[stream].ways == WANTS_WRITE;
		all.appended |= given[stream].is_appended;
	}
	return all;
}
