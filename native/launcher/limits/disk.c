#define _GNU_SOURCE
#include "limits/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static int read_free(int fd, uint64_t *bytes)
{
	struct statvfs info;

	if (fstatvfs(fd, &info) < 0)
		return -errno;
	*bytes = (uint64_t)info.f_bfree * info.f_frsize;
	return 0;
}

/* A standard stream can be a file on any file system, as in `ion run ... > file`. */
static int add_stream(int stream, struct disk *disk)
{
	struct stat info;
	int flags = fcntl(stream, F_GETFL);

	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fstat(stream, &info) < 0 || !S_ISREG(info.st_mode))
		return 0;
	int fd = fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (fd < 0)
		return -errno;
	disk->roots[disk->length].fd = fd;
	return read_free(fd, &disk->roots[disk->length++].free_bytes);
}

int open_disk(const char **paths, struct disk *disk)
{
	size_t count = 0;
	int error = 0;

	while (paths[count])
		count++;
	disk->roots = calloc(count + STDERR_FILENO + 1, sizeof(disk->roots[0]));
	if (!disk->roots)
		return -ENOMEM;
	for (size_t i = 0; i < count && !error; i++) {
		int fd = open(paths[i], O_PATH | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		disk->roots[disk->length++].fd = fd;
		error = read_free(fd, &disk->roots[i].free_bytes);
	}
	for (int stream = STDIN_FILENO; stream <= STDERR_FILENO && !error; stream++)
		error = add_stream(stream, disk);
	return error;
}

uint64_t lost_bytes(const struct disk *disk)
{
	uint64_t most = 0;

	for (size_t i = 0; i < disk->length; i++) {
		const struct disk_root *root = &disk->roots[i];
		uint64_t now = root->free_bytes;

		(void)read_free(root->fd, &now);
		if (now < root->free_bytes && root->free_bytes - now > most)
			most = root->free_bytes - now;
	}
	return most;
}

void close_disk(struct disk *disk)
{
	for (size_t i = 0; i < disk->length; i++)
		close(disk->roots[i].fd);
	free(disk->roots);
	*disk = (struct disk){ 0 };
}
