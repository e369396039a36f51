#define _GNU_SOURCE
#include "supervise/task.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096u
#define SHORT 256u

ssize_t read_memory(const struct task *task, uint64_t address, void *buffer, size_t size)
{
	/* The kernel copies whole elements: an element that ends in a missing page is not copied at all. */
	size_t first = PAGE - address % PAGE;
	if (first > size)
		first = size;
	struct iovec local = { buffer, size };
	struct iovec remote[] = { { (void *)(uintptr_t)address, first },
				  { (void *)(uintptr_t)(address + first), size - first } };
	ssize_t count = process_vm_readv(task->pid, &local, 1, remote, size > first ? 2 : 1, 0);

	return count < 0 ? -errno : count;
}

ssize_t read_string(const struct task *task, uint64_t address, char *text, size_t size)
{
	size_t length = 0;

	while (length < size) {
		/* Paths are short, and each page costs a look-up of its own. */
		size_t wanted = length == 0 ? SHORT : PAGE;
		size_t page_rest = PAGE - (address + length) % PAGE;
		if (wanted > page_rest)
			wanted = page_rest;
		if (wanted > size - length)
			wanted = size - length;
		ssize_t count = read_memory(task, address + length, text + length, wanted);
		if (count <= 0)
			return count < 0 ? count : -EFAULT;
		const char *end = memchr(text + length, '\0', (size_t)count);
		if (end)
			return end - text;
		length += (size_t)count;
	}
	return -ENAMETOOLONG;
}

bool is_folder(const struct task *task, const char *path)
{
	struct stat info;

	return fstatat(task->root, path + 1, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
}

/* A number from /proc/TID/status. */
static pid_t status_field(pid_t tid, const char *field)
{
	char path[64], text[512];

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ssize_t length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length <= 0)
		return -EIO;
	text[length] = '\0';
	const char *line = strstr(text, field);
	return line ? (pid_t)strtol(line + strlen(field), NULL, 10) : -EIO;
}

pid_t process_of(pid_t tid)
{
	return status_field(tid, "\nTgid:");
}

void program_of(const struct task *task, char program[PATH_MAX])
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/%d/exe", task->pid);
	ssize_t length = readlink(link, program, PATH_MAX - 1);
	program[length > 0 ? length : 0] = '\0';
}
