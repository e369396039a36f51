/* Reads a process that waits in a notified system call. Another of its threads can change all of this: a denial may rest on
 * it, an allowance may not. */
#ifndef ION_TASK_H
#define ION_TASK_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct task {
	pid_t pid;    /* the thread that called */
	int root;     /* O_PATH of the run's root folder */
	bool remembers; /* its current folder may be remembered (remembered_folder.h) */
};

/* Copy `size` bytes, or up to the first missing page. Returns the count or -errno. */
ssize_t read_memory(const struct task *task, uint64_t address, void *buffer, size_t size);

/* Copy a string and its end. Returns its length, -ENAMETOOLONG, or -errno. */
ssize_t read_string(const struct task *task, uint64_t address, char *text, size_t size);

/* Whether the task sees a folder at `path` (canonical). */
bool is_folder(const struct task *task, const char *path);
bool is_link(const struct task *task, const char *path);

/* The process (thread group) that thread `tid` belongs to, or -errno. */
pid_t process_of(pid_t tid);

/* The number of thread `tid` or of its process as the run's own processes see it; the same as outside without a PID namespace.
 * Or -errno. */
pid_t number_inside(pid_t tid);
pid_t process_inside(pid_t tid);

/* The first, or 0 without a PID namespace or process: for reports. */
struct options;
pid_t reported_inside(const struct options *options, pid_t tid);

/* The launcher's number of the process that thread `tid` knows as `number`, or -errno. */
pid_t number_outside(pid_t tid, pid_t number);

/* The file that the task executes, for messages; "" when it is unknown. */
void program_of(const struct task *task, char program[PATH_MAX]);

#endif
