/* Which users and groups there are in a user namespace: each as itself. */
#ifndef ION_USER_MAP_H
#define ION_USER_MAP_H

#include <sys/types.h>

/* Map the calling process's own, in its new user namespace, and no other. Returns 0 or -errno. */
int map_self(uid_t uid, gid_t gid);

/* All that this user namespace has can be mapped only from outside the new one, by root: a process that stays behind. */
struct mapper {
	pid_t pid;
	int go; /* closed without a word: there is nothing to map */
};
#define NO_MAPPER { -1, -1 }

/* Before unshare(2). Returns 0 or -errno. */
int start_mapper(struct mapper *mapper);
/* After it, in the new user namespace. Returns 0 or -errno. */
int finish_mapper(struct mapper *mapper);
void cancel_mapper(struct mapper *mapper);

#endif
