/* The static seccomp filter: what no sandboxed program may ask of the kernel, decided on registers alone. */
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
	bool mounts;      /* then metadata and removal are the mounts' business */
	bool handed_over; /* but of a standard stream that lies on a mount outside */
	bool binds;       /* no port may be listened on, and whoever tries is to be told; or only those of the loopback */
	bool executions;  /* deny rules, or somebody to tell */
	bool images;      /* deny rules */
	bool closed;      /* some folders hold no programs: nor does memory without a name */
	bool denied;      /* denied_paths that no mount masks: opens for reading too */
	bool listed_devices; /* the user has granted devices: their ioctl requests pass */
	struct given_ways given;
	enum report report;
	pid_t ion;      /* processes that may not be aimed at from inside */
	pid_t launcher;
};

/* Compile the tables of filter_rows.h. Returns 0, or -E2BIG when they outgrow FILTER_MAX (a bug, not an input). */
int build_filter(const struct filter_input *input, struct filter *filter);

/* Install `filter` on this thread and all it starts. Needs no_new_privs.
 * Returns the listener's descriptor, 0 where no listener was asked for, or -errno: -EBUSY inside another sandbox that
 * has a listener. */
int install_filter(const struct filter *filter, bool listener);

#endif
