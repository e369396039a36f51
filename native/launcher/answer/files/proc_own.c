#define _GNU_SOURCE
#include "answer/files/proc_own.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "supervise/as_task.h"
#include "tree/tree.h"

/* Files of a process and of one of its threads. The kernel checks the writer of these files. Without CAP_SYS_RESOURCE the writer
 * cannot lower oom_score_adj below the initial value. Only the process's own threads can write comm. uid_map, gid_map, setgroups,
 * attr and loginuid are not listed. */
static const char *const files[] = { "oom_score_adj", "comm", "coredump_filter", "clear_refs" };

/* `/proc/12/task/13/comm`: the process's number, and the rest of the path. NULL for another path. */
static const char *split(const char *path, pid_t *pid)
{
	int length = 0;

	if (strncmp(path, "/proc/", 6) != 0)
		return NULL;
	return sscanf(path + 6, "%d/%n", pid, &length) == 1 && length > 0 && *pid > 0 ? path + 6 + length : NULL;
}

static bool is_own_file(const char *name)
{
	int thread, length = 0;

	if (sscanf(name, "task/%d/%n", &thread, &length) == 1 && length > 0)
		name += length;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (strcmp(files[i], name) == 0)
			return true;
	return false;
}

/* The folder refers to its process. When that ends, no file can be opened in the folder, even if another process gets the
 * number. */
static int open_of_tree(pid_t pid, const char *name, uint64_t flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", pid);
	int folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return -errno;
	int fd = tree_has(pid) ? openat(folder, name, (int)(flags & O_ACCMODE) | O_NOFOLLOW | O_CLOEXEC) : -1;
	int error = fd >= 0 ? 0 : errno;
	close(folder);
	if (fd >= 0)
		return fd;
	return error == ENOENT || error == ESRCH ? -error : -EACCES;
}

/* `task/13/comm`, with the launcher's number of the thread. Returns 0 or -errno. */
static int name_outside(const struct call *call, const char *name, char outside[64])
{
	int thread, length = 0;
	bool of_thread = sscanf(name, "task/%d/%n", &thread, &length) == 1 && length > 0;

	if (!of_thread || !call->watch->options->own_processes)
		return snprintf(outside, 64, "%s", name) < 64 ? 0 : -ENAMETOOLONG;
	thread = number_outside(call->task.pid, thread);
	if (thread < 0)
		return thread;
	return snprintf(outside, 64, "task/%d/%s", thread, name + length) < 64 ? 0 : -ENAMETOOLONG;
}

struct own_file {
	pid_t pid;
	const char *name;
	uint64_t flags;
};

static int open_own_file(void *argument)
{
	const struct own_file *wanted = argument;

	return open_of_tree(wanted->pid, wanted->name, wanted->flags);
}

int serve_own_file(const struct call *call, const char *path, uint64_t flags)
{
	pid_t pid;
	const char *name = split(path, &pid);

	if (!name || !is_own_file(name))
		return CONTINUE;
	char outside[64];
	if (call->watch->options->own_processes && (pid = number_outside(call->task.pid, pid)) < 0)
		return CONTINUE;
	if (name_outside(call, name, outside))
		return CONTINUE;
	if (!tree_has(pid))
		return CONTINUE; /* not of this run: the caller judges it like any other file */
	struct own_file wanted = { pid, outside, flags };
	int fd = as_task(call, open_own_file, &wanted);
	if (fd < 0)
		return fd;
	return give_descriptor(call, fd, flags);
}
