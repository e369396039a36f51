#define _GNU_SOURCE
#include "tree/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "tree/first_process.h"

#define TREE_MAX 65536

/* Breadth first: `pids` is the queue and the result. */
struct queue {
	pid_t pids[TREE_MAX];
	pid_t parents[TREE_MAX];
	bool below[TREE_MAX]; /* has_descendant_in() */
	size_t length;
};

/* Each thread that walks has its own. That of the first thread, which kills, is static, so that a fork bomb cannot make malloc fail
 * there. */
static struct queue *own_queue(void)
{
	static struct queue of_first;
	static _Thread_local struct queue *own;

	if (!own)
		own = syscall(SYS_gettid) == getpid() ? &of_first : malloc(sizeof(*own));
	return own;
}

static pid_t left_out;

void leave_out_of_tree(pid_t pid)
{
	left_out = pid;
}

static void add(struct queue *found, pid_t pid, pid_t parent)
{
	if (found->length == TREE_MAX || pid == left_out)
		return;
	found->pids[found->length] = pid;
	found->parents[found->length++] = parent;
}

int read_small_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ssize_t length = read(fd, text, size - 1);
	int error = errno;
	close(fd);
	if (length < 0)
		return -error;
	text[length] = '\0';
	return (int)length;
}

/* The children of one thread. The list can be longer than a buffer: read it as a stream of numbers. */
static int add_children_of_thread(struct queue *found, pid_t pid, const char *tid)
{
	char path[64], text[4096];
	long number = 0;
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/task/%s/children", pid, tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while ((length = read(fd, text, sizeof(text))) > 0) {
		for (ssize_t i = 0; i < length; i++) {
			if (text[i] >= '0' && text[i] <= '9') {
				number = number * 10 + (text[i] - '0');
			} else if (number > 0) {
				add(found, (pid_t)number, pid);
				number = 0;
			}
		}
	}
	if (number > 0)
		add(found, (pid_t)number, pid);
	close(fd);
	return 0;
}

static int add_children(struct queue *found, pid_t pid)
{
	char path[64];
	int error = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *tasks = opendir(path);
	if (!tasks)
		return -errno;
	for (struct dirent *task; (task = readdir(tasks));) {
		int result = task->d_name[0] == '.' ? 0 : add_children_of_thread(found, pid, task->d_name);
		/* A thread that has ended meanwhile, the launcher's own included, has no children any more. */
		if (result && result != -ENOENT && result != -ESRCH)
			error = result;
	}
	closedir(tasks);
	return error;
}

pid_t parent_of(pid_t pid)
{
	char path[64], text[512];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (read_small_file(path, text, sizeof(text)) <= 0)
		return -1;
	/* The program's name is in parentheses and may contain any character: search from the right. */
	const char *after_name = strrchr(text, ')');
	int parent;
	return after_name && sscanf(after_name + 1, " %*c %d", &parent) == 1 ? parent : -1;
}

char state_of(pid_t pid)
{
	char path[64], text[512];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	const char *after_name = read_small_file(path, text, sizeof(text)) > 0 ? strrchr(text, ')') : NULL;
	return after_name && after_name[1] == ' ' ? after_name[2] : '\0';
}

/* For kernels without CONFIG_PROC_CHILDREN: one pass over /proc per level. */
static int add_children_by_scan(struct queue *found, pid_t pid)
{
	DIR *processes = opendir("/proc");
	if (!processes)
		return -errno;
	for (struct dirent *entry; (entry = readdir(processes));) {
		pid_t candidate = atoi(entry->d_name);
		if (candidate > 0 && parent_of(candidate) == pid)
			add(found, candidate, pid);
	}
	closedir(processes);
	return 0;
}

static bool children_are_listed(void)
{
	char probe[64];

	snprintf(probe, sizeof(probe), "/proc/%d/task/%d/children", getpid(), getpid());
	return access(probe, R_OK) == 0;
}

static int add_own_children(struct queue *found)
{
	const pid_t first = first_process();
	int error = children_are_listed() ? add_children(found, getpid()) : add_children_by_scan(found, getpid());

	if (error || !first)
		return error;
	for (size_t i = 0; i < found->length; i++) {
		if (found->pids[i] != first)
			continue;
		found->length--;
		found->pids[i] = found->pids[found->length];
		found->parents[i] = found->parents[found->length];
	}
	/* The process may have ended: then it has no other threads. */
	(void)(children_are_listed() ? add_children(found, first) : add_children_by_scan(found, first));
	return 0;
}

int walk_tree(void (*visit)(pid_t pid, pid_t parent))
{
	struct queue *found = own_queue();
	bool listed = children_are_listed();

	if (!found)
		return -ENOMEM;
	found->length = 0;
	int error = add_own_children(found);
	if (error)
		return error;
	for (size_t next = 0; next < found->length; next++) {
		if (visit)
			visit(found->pids[next], found->parents[next]);
		/* A process that ended meanwhile is not an error: its children are the launcher's now. */
		if (listed)
			(void)add_children(found, found->pids[next]);
		else
			(void)add_children_by_scan(found, found->pids[next]);
	}
	return (int)found->length;
}

/* The tree as it is now, or NULL with errno set. */
static struct queue *find_tree(void)
{
	int count = walk_tree(NULL);

	if (count >= 0)
		return own_queue();
	errno = -count;
	return NULL;
}

/* Walks up: every process of the tree has the launcher above it, or the run's process 1. These two do not belong to it. An ancestor
 * that ends meanwhile passes its children up, and the walk starts again. */
bool tree_has(pid_t pid)
{
	for (int attempt = 0; attempt < 8 && pid != left_out && !is_root_of_tree(pid); attempt++) {
		pid_t at = pid;
		while (at > 1 && !is_root_of_tree(at = parent_of(at)))
			;
		if (is_root_of_tree(at))
			return true;
		if (at == 0 || at == 1 || parent_of(pid) < 0)
			return false;
	}
	return false;
}

bool has_descendant_in(pid_t pid, pid_t group)
{
	struct queue *found = find_tree();

	if (!found)
		return true; /* unknown */
	/* Breadth first: a process is later in the queue if its parent is. */
	for (size_t i = 0, parent = 0; i < found->length; i++) {
		bool top = is_root_of_tree(found->parents[i]);
		while (!top && parent < i && found->pids[parent] != found->parents[i])
			parent++;
		found->below[i] = !top && (found->parents[i] == pid || found->below[parent]);
		if (found->below[i] && getpgid(found->pids[i]) == group)
			return true;
	}
	return false;
}

int visit_tree(void (*visit)(pid_t pid, void *argument), void *argument)
{
	const struct queue *found = find_tree();

	if (!found)
		return -errno;
	for (size_t i = 0; i < found->length; i++)
		visit(found->pids[i], argument);
	return 0;
}

static int compare_pids(const void *a, const void *b)
{
	const pid_t *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

bool visit_tree_in_turns(pid_t *next, unsigned turn_ms, bool (*visit)(pid_t pid, uint64_t until, void *argument),
			 void *argument)
{
	struct queue *found = find_tree();
	size_t visited = 0;

	if (!found)
		return false;
	uint64_t until = milliseconds(CLOCK_MONOTONIC) + turn_ms;
	/* The order of the tree changes each time; parents are not checked here. */
	qsort(found->pids, found->length, sizeof(found->pids[0]), compare_pids);
	for (size_t i = 0; i < found->length; i++) {
		if (found->pids[i] < *next)
			continue;
		*next = found->pids[i];
		if ((visited++ > 0 && milliseconds(CLOCK_MONOTONIC) >= until) || !visit(found->pids[i], until, argument))
			return false;
	}
	*next = 0;
	return true;
}

uint64_t cpu_of(const struct rusage *usage)
{
	return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000 +
	       (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}
