/* The launcher makes calls for a process with that process's ids, groups and capabilities. As root it could do more than a
 * process that has dropped its own. */
#ifndef ION_AS_CALLER_H
#define ION_AS_CALLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "supervise/notify.h"

#define GROUPS_MAX 128

struct identity {
	uid_t user, file_user;
	gid_t group, file_group;
	gid_t groups[GROUPS_MAX];
	size_t group_count;
	uint64_t capabilities; /* effective */
};

/* The identity of thread `tid`. Returns 0 or -errno. More than GROUPS_MAX groups are an error too. */
int read_identity(pid_t tid, struct identity *identity);

/* Whether the launcher already has this identity for files and sockets. */
bool is_own_identity(const struct identity *identity);

/* Give the calling thread alone an identity, for good. Its real and saved ids stay the launcher's: the kernel uses them to
 * decide which processes may signal or trace it. Returns 0 or -errno. */
int assume_identity(const struct identity *identity);

/* Runs `act` with the task's identity and returns its result; -EACCES if that is impossible. */
int as_task(const struct call *call, int (*act)(void *argument), void *argument);

/* bind(2) and listen(2), of a borrowed descriptor. Return 0 or -errno. */
int bind_as_task(const struct call *call, int socket, const struct sockaddr *address, socklen_t length);
int listen_as_task(const struct call *call, int socket, int backlog);

/* Returns 0 if the task may open `path` from its root, or `name` from its current folder, and the file is that of the
 * descriptor `target`. Otherwise -errno. */
int reach_as_task(const struct call *call, const char *path, const char *name, int target);

#endif
