#define _GNU_SOURCE
#include "pipes.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "streams.h"

static const char *const names[STREAMS] = { "/dev/stdin", "/dev/stdout", "/dev/stderr" };

static struct {
	bool is_pipe, is_gone, written;
	dev_t device;
	ino_t inode;
} given[STREAMS];

void remember_pipes(void)
{
	struct stat info;

	for (int stream = 0; stream < STREAMS; stream++) {
		int flags = fcntl(stream, F_GETFL);
		if (flags < 0 || fstat(stream, &info) < 0)
			continue;
		given[stream].is_pipe = S_ISFIFO(info.st_mode);
		given[stream].is_gone = S_ISREG(info.st_mode) && info.st_nlink == 0;
		given[stream].written = (flags & O_ACCMODE) != O_RDONLY;
		given[stream].device = info.st_dev;
		given[stream].inode = info.st_ino;
	}
}

static bool is_stream(int stream, const struct stat *info)
{
	return given[stream].is_pipe && given[stream].device == info->st_dev && given[stream].inode == info->st_ino;
}

bool was_given(const struct stat *info)
{
	for (int stream = 0; stream < STREAMS; stream++)
		if (is_stream(stream, info))
			return true;
	return false;
}

const char *only_read_as(const struct stat *info)
{
	const char *name = NULL;

	for (int stream = 0; stream < STREAMS; stream++) {
		if (!is_stream(stream, info))
			continue;
		if (given[stream].written)
			return NULL;
		name = names[stream];
	}
	return name;
}

/* Asked anew each time: the folder that the file was in can be renamed. */
static bool is_called(int stream, const char *name)
{
	char link[64], path[PATH_MAX];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", stream);
	ssize_t length = readlink(link, path, sizeof(path) - 1);
	path[length > 0 ? length : 0] = '\0';
	return strcmp(path, name) == 0;
}

const char *gone_and_only_read_as(const char *name)
{
	const char *found = NULL;

	for (int stream = 0; stream < STREAMS; stream++) {
		if (!given[stream].is_gone || !is_called(stream, name))
			continue;
		if (given[stream].written)
			return NULL;
		found = names[stream];
	}
	return found;
}
