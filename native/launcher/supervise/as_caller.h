/* Calls that the launcher makes for a process are made with that process's ids, groups and capabilities: as root it could do more
 * than a process that has given up its own. */
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

/* The identity of thread `tid`. Returns 0 or -errno: also where it has more than GROUPS_MAX groups. */
int read_identity(pid_t tid, struct identity *identity);

/* Has the launcher this identity already, as far as files and sockets are concerned? */
bool is_own_identity(const struct identity *identity);

/* Take an identity for the calling thread alone, for good. Its real and saved ids stay the launcher's: by those the kernel decides who may
 * signal or trace it. Returns 0 or -errno. */
int assume_identity(const struct identity *identity);

/* What `act` returns, done with the caller's identity; -EACCES where that cannot be. */
int as_caller(const struct call *call, int (*act)(void *argument), void *argument);

/* bind(2) and listen(2), of a descriptor that was taken. Return 0 or -errno. */
int bind_as_caller(const struct call *call, int socket, const struct sockaddr *address, socklen_t length);
int listen_as_caller(const struct call *call, int socket, int backlog);

/* May the caller open `path` in `root`, which is `target`, or `name` from its current folder? 0 or -errno. */
int reach_as_caller(const struct call *call, const char *path, const char *name, int target);

#endif
