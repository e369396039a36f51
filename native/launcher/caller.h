/* Looking at a process that waits in a notified system call. Everything read here can be changed by another of its
 * threads: a denial may rest on it, an allowance may not. */
#ifndef ION_CALLER_H
#define ION_CALLER_H

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

enum follow { FOLLOW, NO_FOLLOW };

/* resolve() of something that has no place in the file system: a pipe, a socket, a deleted file. */
#define NOT_A_PATH (-ESRCH)

/* The canonical path that (dirfd, path) means to the caller, whether there is something or not. With FOLLOW, of a symlink that leads
 * to nothing, the path that it leads to.
 * Returns an O_PATH descriptor of what is there, -ENOENT with `resolved` set when nothing is, or empty when its folder is not
 * there either, or another -errno when it cannot be told (then `resolved` is empty). Paths through /proc/self, /dev/fd and the
 * like mean the caller's own and are not resolved: -ELOOP. */
int resolve(const struct caller *caller, int dirfd, const char *path, enum follow follow, char resolved[PATH_MAX]);

/* How long a name is without the mark of a file that is gone (readlink(2) of a descriptor; Linux: fs/d_path.c), or 0 when it has
 * none. Its folder may be gone as well, and by O_PATH and /proc/self/fd it can still be opened for reading. */
size_t length_of_gone(const char *name);

/* The process (thread group) that thread `tid` belongs to, or -errno. */
pid_t process_of(pid_t tid);

/* The file that the caller executes, for messages; "" when it cannot be told. */
void program_of(const struct caller *caller, char program[PATH_MAX]);

#endif
