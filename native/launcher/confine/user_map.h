/* The users and groups of a user namespace: each mapped to itself. */
#ifndef ION_USER_MAP_H
#define ION_USER_MAP_H

#include <sys/types.h>

/* Map the calling process's own ids, in its new user namespace, and no other. Returns 0 or -errno. */
int map_self(uid_t uid, gid_t gid);

/* Only root outside the new user namespace can map all ids of the current one: a process that stays behind does it. */
struct mapper {
	pid_t pid;
	int go; /* closed without a message: there is nothing to map */
};
#define NO_MAPPER { -1, -1 }

/* Called before unshare(2). Returns 0 or -errno. */
int start_mapper(struct mapper *mapper);
/* Called after it, in the new user namespace. Returns 0 or -errno. */
int finish_mapper(struct mapper *mapper);
void cancel_mapper(struct mapper *mapper);

#endif
