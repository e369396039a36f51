#define _GNU_SOURCE
#include "confine/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/kernel_abi.h"
#include "base/path_list.h"

#define MEMORY_DEVICES 1 /* /dev/null, zero, full, random, urandom */

static bool is_file(const struct stat *info)
{
	return S_ISREG(info->st_mode) || S_ISCHR(info->st_mode) || S_ISBLK(info->st_mode) || S_ISFIFO(info->st_mode);
}

/* A reopened file differs for its reader only by the position. It is set here, and passed back at the end. A written file shares
 * its position with other writers. */
static bool can_be_reopened(const struct stat *info, int flags)
{
	if (S_ISCHR(info->st_mode))
		return major(info->st_rdev) == MEMORY_DEVICES;
	return S_ISREG(info->st_mode) && (flags & O_ACCMODE) == O_RDONLY;
}

static int open_again(int place, int flags)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", place);
	return open(link, (flags & ~(O_CREAT | O_EXCL | O_TRUNC)) | O_CLOEXEC | O_NOCTTY);
}

/* The same file by its path, or the copy of it that the command sees. -1 if the path now leads to another file, or is closed
 * to this user. */
static int open_by_path(const struct options *options, const char *path, const struct stat *given, int flags)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };
	struct stat info;
	int place = (int)syscall(__NR_openat2, AT_FDCWD, path, &how, sizeof(how));

	if (place < 0)
		return -1;
	bool same = fstat(place, &info) == 0 && info.st_dev == given->st_dev && info.st_ino == given->st_ino;
	int fd = same || is_listed(options->shadowed, path) ? open_again(place, flags) : -1;
	close(place);
	return fd;
}

static bool reopen(const struct options *options, int stream, const char *path, const struct stat *given, int *original)
{
	int flags = fcntl(stream, F_GETFL);

	if (flags < 0 || (flags & O_PATH) || !can_be_reopened(given, flags))
		return false;
	int fd = open_by_path(options, path, given, flags);
	if (fd < 0)
		return false;
	bool positioned = S_ISREG(given->st_mode);
	int kept = positioned ? fcntl(stream, F_DUPFD_CLOEXEC, STREAMS) : -1;
	bool done = (!positioned || (kept >= 0 && lseek(fd, lseek(stream, 0, SEEK_CUR), SEEK_SET) >= 0)) &&
		    dup2(fd, stream) >= 0;
	close(fd);
	if (done)
		*original = kept;
	else if (kept >= 0)
		close(kept);
	return done;
}

/* A view has no Landlock, so only the mount of the stream could prevent a write. */
static bool could_be_written(const char *link, int stream, const struct stat *info)
{
	return S_ISREG(info->st_mode) && (fcntl(stream, F_GETFL) & O_ACCMODE) == O_RDONLY &&
	       (info->st_uid == geteuid() || access(link, W_OK) == 0);
}

int reopen_streams(const struct options *options, int originals[STREAMS])
{
	char link[64], path[PATH_MAX];
	struct stat info;
	int left = 0;

	for (int stream = 0; stream < STREAMS; stream++) {
		originals[stream] = -1;
		snprintf(link, sizeof(link), "/proc/self/fd/%d", stream);
		ssize_t length = readlink(link, path, sizeof(path) - 1);
		if (length <= 0 || *path != '/' || fstat(stream, &info) < 0 || !is_file(&info) || info.st_nlink == 0)
			continue;
		path[length] = '\0';
		if (reopen(options, stream, path, &info, &originals[stream]) || find_root(options->writable, path))
			continue;
		if (options->view && could_be_written(link, stream, &info))
			return -ESTALE;
		left = 1;
	}
	return left;
}

static void return_positions(const int originals[STREAMS])
{
	for (int stream = 0; stream < STREAMS; stream++) {
		off_t position = originals[stream] < 0 ? -1 : lseek(stream, 0, SEEK_CUR);
		if (position >= 0)
			(void)lseek(originals[stream], position, SEEK_SET);
	}
}

void leave_stream(int stream)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (nothing < 0 || dup2(nothing, stream) < 0)
		close(stream);
	if (nothing >= 0)
		close(nothing);
}

void let_go_of_streams(const int originals[STREAMS])
{
	return_positions(originals);
	for (int stream = 0; stream < STREAMS; stream++) {
		leave_stream(stream);
		if (originals[stream] >= 0)
			close(originals[stream]);
	}
}
