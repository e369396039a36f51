/* The static seccomp filter: the system calls that no sandboxed program may make, decided on registers alone. */
#ifndef ION_FILTER_H
#define ION_FILTER_H

#include <stdbool.h>
#include <sys/types.h>
#include <linux/filter.h>

#include "confine/given_streams.h"
#include "options/options.h"

#define FILTER_MAX 2048

struct filter {
	struct sock_filter code[FILTER_MAX];
	unsigned short length;
};

struct filter_input {
	enum network network;
	bool unix_closed;
	bool listener;
	bool scoped;      /* Landlock keeps signals in */
	bool binds;       /* no port may be listened on, and attempts are reported; or only ports of the loopback */
	bool no_multipath; /* no MPTCP: the relay cannot open such a connection from its side */
	bool executions;  /* deny rules, or executions are reported */
	bool rechecks;    /* deny rules */
	bool closed;      /* some folders hold no programs, so a memfd does not either */
	bool denied;      /* denied_paths that no mount masks: opens for reading too */
	bool listed_devices; /* the user has granted devices: their ioctl requests pass */
	bool script;  /* the text of a script is given at an open for reading */
	struct given_ways given;
	bool own_processes;  /* a PID namespace: numbers mean processes of the run */
	bool one_user;       /* a user namespace with no other user and group */
	enum report report;
	pid_t ion;      /* processes that calls from inside may not name */
	pid_t launcher;
};

/* Compile the tables of filter_rows.h. Returns 0, or -E2BIG when they exceed FILTER_MAX (a bug, not an input). */
int build_filter(const struct filter_input *input, struct filter *filter);

/* Install `filter` on this thread and all its descendants. Needs no_new_privs. Returns the listener's descriptor, 0 if no
 * listener was requested, or -errno: -EBUSY inside another sandbox with a listener. */
int install_filter(const struct filter *filter, bool listener);

#endif
