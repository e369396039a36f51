/* Looking at a process that waits in a notified system call. Everything read here can be changed by another of its
 * threads: a denial may rest on it, an allowance may not. */
#ifndef ION_TASK_H
#define ION_TASK_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct caller {
	pid_t pid;    /* the thread that called */
	int root;     /* O_PATH of the run's root folder */
};

/* Copy `size` bytes, or up to the first page that is not there. Returns the count or -errno. */
ssize_t read_memory(const struct caller *caller, uint64_t address, void *buffer, size_t size);

/* Copy a string and its end. Returns its length, -ENAMETOOLONG, or -errno. */
ssize_t read_string(const struct caller *caller, uint64_t address, char *text, size_t size);

/* Is there a folder at `path` (canonical), as the caller sees it? */
bool is_folder(const struct caller *caller, const char *path);

/* The process (thread group) that thread `tid` belongs to, or -errno. */
pid_t process_of(pid_t tid);

/* The file that the caller executes, for messages; "" when it cannot be told. */
void program_of(const struct caller *caller, char program[PATH_MAX]);

#endif
