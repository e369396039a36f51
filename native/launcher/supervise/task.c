#define _GNU_SOURCE
#include "supervise/task.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "options/options.h"
#include "tree/tree.h"

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

static mode_t type_of(const struct task *task, const char *path)
{
	struct stat info;

	return fstatat(task->root, path + 1, &info, AT_SYMLINK_NOFOLLOW) == 0 ? info.st_mode & S_IFMT : 0;
}

bool is_folder(const struct task *task, const char *path)
{
	return type_of(task, path) == S_IFDIR;
}

bool is_link(const struct task *task, const char *path)
{
	return type_of(task, path) == S_IFLNK;
}

/* The first or last number of a line of /proc/TID/status. */
static pid_t status_field(pid_t tid, const char *field, bool last)
{
	char path[64], text[8192];

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
	if (!line)
		return -EIO;
	line += strlen(field);
	if (!last)
		return (pid_t)strtol(line, NULL, 10);
	size_t end = strcspn(line, "\n");
	while (end > 0 && line[end - 1] != '\t')
		end--;
	return (pid_t)strtol(line + end, NULL, 10);
}

pid_t process_of(pid_t tid)
{
	return status_field(tid, "\nTgid:", false);
}

/* The last number is the one in the innermost namespace. No process of a run can make another namespace. */
pid_t number_inside(pid_t tid)
{
	return status_field(tid, "\nNSpid:", true);
}

pid_t process_inside(pid_t tid)
{
	return status_field(tid, "\nNStgid:", true);
}

pid_t reported_inside(const struct options *options, pid_t tid)
{
	pid_t number = options->own_processes && tid > 0 ? number_inside(tid) : 0;

	return number > 0 ? number : 0;
}

#define GET_PID_FROM_PIDNS _IOR(0xb7, 0x6, int) /* Linux 6.11 */

static pid_t ask_kernel(pid_t tid, pid_t number)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", tid);
	int space = open(path, O_RDONLY | O_CLOEXEC);
	if (space < 0)
		return -errno;
	int found = ioctl(space, GET_PID_FROM_PIDNS, number);
	int error = errno;
	close(space);
	return found < 0 ? -error : found;
}

struct search {
	pid_t number, found;
};

static void compare(pid_t pid, void *argument)
{
	struct search *search = argument;

	if (search->found < 0 && number_inside(pid) == search->number)
		search->found = pid;
}

pid_t number_outside(pid_t tid, pid_t number)
{
	struct search search = { number, -ESRCH };
	pid_t process = process_of(tid);

	if (process > 0 && process_inside(tid) == number)
		return process;
	pid_t found = ask_kernel(tid, number);
	if (found != -ENOTTY && found != -EINVAL)
		return found;
	/* Before Linux 6.11 it searches the processes. Threads are not found. */
	(void)visit_tree(compare, &search);
	return search.found;
}

void program_of(const struct task *task, char program[PATH_MAX])
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/%d/exe", task->pid);
	ssize_t length = readlink(link, program, PATH_MAX - 1);
	program[length > 0 ? length : 0] = '\0';
}
