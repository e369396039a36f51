#define _GNU_SOURCE
#include "confine/user_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ssize_t written = write(fd, text, strlen(text));
	int error = written < 0 ? -errno : 0;
	close(fd);
	return error;
}

/* One line each: an unprivileged process may map itself and no other (user_namespaces(7)). setgroups must be denied first.
 * Otherwise a process could drop a group that a file's mode excludes. */
int map_self(uid_t uid, gid_t gid)
{
	char line[64];
	int error = write_file("/proc/self/setgroups", "deny");

	if (error && error != -ENOENT)
		return error;
	snprintf(line, sizeof(line), "%u %u 1\n", uid, uid);
	if ((error = write_file("/proc/self/uid_map", line)))
		return error;
	snprintf(line, sizeof(line), "%u %u 1\n", gid, gid);
	return write_file("/proc/self/gid_map", line);
}

/* Map each id of this user namespace to itself. The kernel requires a single write. */
static int copy_map(const char *name, pid_t task)
{
	char path[64], text[4096];
	unsigned first, count;
	size_t length = 0;

	snprintf(path, sizeof(path), "/proc/self/%s", name);
	FILE *own = fopen(path, "re");
	if (!own)
		return -errno;
	while (length + 64 < sizeof(text) && fscanf(own, "%u %*u %u", &first, &count) == 2)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%u %u %u\n", first, first, count);
	fclose(own);
	text[length] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/%s", task, name);
	return write_file(path, text);
}

static int serve(int go, pid_t task)
{
	char word;

	if (read(go, &word, 1) != 1)
		return 0;
	int error = copy_map("uid_map", task);
	return -(error ? error : copy_map("gid_map", task));
}

int start_mapper(struct mapper *mapper)
{
	pid_t task = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	mapper->pid = fork();
	if (mapper->pid == 0) {
		close(ends[1]);
		_exit(serve(ends[0], task));
	}
	close(ends[0]);
	mapper->go = ends[1];
	if (mapper->pid >= 0)
		return 0;
	int error = -errno;
	close(ends[1]);
	return error;
}

static int end_mapper(struct mapper *mapper)
{
	int status;

	close(mapper->go);
	while (waitpid(mapper->pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
}

int finish_mapper(struct mapper *mapper)
{
	bool asked = write(mapper->go, "g", 1) == 1;
	int error = end_mapper(mapper);

	return asked ? error : -EPIPE;
}

void cancel_mapper(struct mapper *mapper)
{
	if (mapper->pid > 0)
		(void)end_mapper(mapper);
}
