/* What ion asks the launcher to do, as read from the options descriptor. */
#ifndef ION_OPTIONS_H
#define ION_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Raised with every incompatible change of the format below; ion sends its own and both must agree. */
#define OPTIONS_VERSION "1"
#define OPTIONS_MAX_BYTES (16u << 20)

/* What is notified beyond executions and addresses: nothing, refused writes, or changes of metadata too. */
enum report { REPORT_MINIMAL, REPORT_DENIALS, REPORT_ALL };

/* LOOPBACK: that of the machine, kept to the run's own servers by the supervisor (loopback.h). */
enum network { NETWORK_NONE, NETWORK_LOOPBACK, NETWORK_FULL };

struct limits {
	uint64_t open_files;      /* RLIMIT_NOFILE, soft and hard; 0 = none */
	uint64_t open_files_soft; /* soft limit to put back (Node raises it); 0 = leave */
	uint64_t file_size;       /* bytes, RLIMIT_FSIZE; 0 = none */
	uint64_t cpu_seconds;     /* of the whole tree, and per process by RLIMIT_CPU; 0 = none */
	uint64_t memory;          /* bytes of the whole tree; 0 = none */
	uint64_t processes;       /* processes and threads of the whole tree; 0 = none */
	uint64_t disk;            /* bytes that a file system of `disk_roots` may lose; 0 = none */
};

struct options {
	bool confine;  /* give up privileges for good and close descriptors; false only with --no-sandbox */
	bool landlock; /* a ruleset descriptor was passed */
	bool seccomp;
	bool listener; /* supervise by seccomp notifications */
	bool scoped;   /* the ruleset scopes abstract unix sockets */
	bool tell_execs;
	bool unix_closed; /* no unix sockets can be made: nobody is there to look at their addresses */
	bool own_devices; /* with `mounts`: terminals of the run's own */
	bool own_shm;     /* and an own /dev/shm */
	bool listed_devices; /* the user has granted devices beside the harmless ones */
	uint64_t pts_access, shm_access; /* Landlock rights for them, known to the running kernel */
	enum report report;
	bool user_namespace;    /* the other namespaces within one of the user's own */
	bool mounts;            /* mount and IPC namespaces; the lists below */
	bool all_users;         /* with `user_namespace`, as root: every user is in it, not only the own one */
	bool view;              /* with `mounts`: the root is a new one, in which only the roots are (view.h) */
	bool network_namespace; /* with `loopback`: its loopback interface is up */
	bool loopback;
	enum network network;   /* NONE: the filter refuses internet sockets */
	const char *cwd;
	/* Canonical paths, each list NULL-terminated, parents before children. */
	const char **writable; /* the only places that are not read-only */
	const char **view_roots; /* with `view`: what is there beside them, read-only; none lies in another or in one of `writable` */
	const char **view_links, **view_targets; /* symlinks in it, by the same position, and what they say */
	const char **pinned;   /* can't be renamed or removed */
	const char **readonly; /* pinned, and read-only */
	const char **masked;   /* replaced by something empty and unreadable */
	const char **executable; /* where there are any: only these hold programs */
	const char **noexec;     /* and not these folders below them */
	const char **absent;   /* protected, and not there: their creation is refused */
	/* Patterns (path_pattern.h) of what may not be opened, moved or linked, and by the same position the entries of denied_paths
	 * that they come from. Opens for reading are asked about only with one. */
	const char **denied, **denied_entries;
	/* Patterns of what is not denied after all, and by the same position the pattern that would deny it. */
	const char **excepted, **excepted_from;
	/* Hooks, and configs, of repositories that lie somewhere in `writable` are protected as well (git_repositories.h). */
	bool nested_hooks, nested_config;
	const char **git_folders; /* those of the workspace's own repository: not such ones */
	const char **watched;  /* told once each when a call that may change it was let through */
	/* Git configs that the command sees a private copy of, by the same position in both lists: a mount point, so that a
	 * rename onto it fails, which the supervisor then carries out on the copy. ion merges what may change when the tree is dead. */
	const char **shadowed;
	const char **shadows;
	const char **devices;  /* may be written beside `writable`, without being folders of the command's own */
	const char **deny;     /* deny_commands globs */
	const char **rules;    /* deny rules with what outweighs them: see prefix_rules.h */
	/* Files that are known by a name, and those names by the same position: of the programs that deny and rules name, and of
	 * those that run another program by themselves. */
	const char **known_names, **known_programs;
	const char **global_flags;    /* `git -p`: options before a subcommand that stand alone; `make -j?` */
	const char **global_values;   /* `git -C`: those that take a value */
	const char **global_ends;     /* `@shell -c`: no operand stands behind them */
	const char **interpreters;    /* `@shell dash`: a kind, whose options stand in the lists above, and a glob of its names */
	const char **modules;         /* `@python ensurepip pip`: a kind, a module, and the program that it stands for */
	const char **multi_calls;     /* `busybox sh ash`: a program that is many, and those of them that are shells */
	/* Read mode: only these files, canonical, and those below these folders are executed. */
	const char **programs, **program_folders;
	const char **held;            /* globs of variables that have to be as in `environment` wherever those execute */
	const char **readable;        /* what may be read and executed beside `writable`; canonical with REPORT_ALL */
	const char **unix_sockets;    /* may be connected to beside those that the run binds */
	const char **leftovers;       /* folders that ion removes after the run: the launcher, when ion is gone */
	const char **disk_roots;      /* where the command may write, with a limit of `disk` */
	struct limits limits;
	const char *cgroup;  /* a folder of cgroup v2 to make the run's own group in; NULL: none */
	uint64_t timeout_ms; /* 0 = none */
	uint64_t grace_ms;   /* between asking the tree to end and killing it */
	const char **environment; /* NAME=value, of the command */
	void *lists;         /* the allocation behind every list */
	char **argv;         /* the program (an absolute path) and its arguments, NULL-terminated */
};

/* Parse `size` bytes of NUL-terminated `key=value` strings; the last string must be `end=1`, so that a cut
 * file is not taken for a whole one. `argv` points into `text`.
 *
 * Returns 0, or -EINVAL with `*bad` set to the string that is unknown, malformed, repeated or missing. An option
 * that is not understood is an error: skipping it could drop a protection. */
int parse_options(char *text, size_t size, struct options *options, const char **bad);

/* For callers that parse more than once. */
void free_options(struct options *options);

#endif
