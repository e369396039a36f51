/* ion's request to the launcher, read from the options descriptor. */
#ifndef ION_OPTIONS_H
#define ION_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Raised with every incompatible change of the format below; ion sends its own and both must agree. */
#define OPTIONS_VERSION "1"
#define OPTIONS_MAX_BYTES (16u << 20)

/* The calls that are notified in addition to executions and addresses: none, refused writes, or also changes of metadata. */
enum report { REPORT_MINIMAL, REPORT_DENIALS, REPORT_ALL };

/* LOOPBACK: the machine's loopback, which the supervisor limits to the run's own servers (loopback.h). */
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
	bool report_execs;
	bool unix_closed; /* no unix sockets can be created: there is no supervisor to check their addresses */
	bool own_devices; /* with `mounts`: terminals of the run's own */
	bool own_shm;     /* and an own /dev/shm */
	bool listed_devices; /* the user has granted devices besides the harmless ones */
	bool job; /* a command of the prompt: see confine/job.h */
	uint64_t pts_access, shm_access; /* Landlock rights for them, known to the running kernel */
	enum report report;
	bool user_namespace;    /* the other namespaces are inside a user namespace of the run */
	bool mounts;            /* mount and IPC namespaces; the lists below */
	bool all_users;         /* with `user_namespace`, as root: every user is mapped, not only the caller */
	bool view;              /* with `mounts`: a new root with only the roots in it (view.h) */
	bool own_processes;     /* with `mounts`: a PID namespace, and a /proc of it */
	uint64_t proc_access;   /* Landlock rights for that */
	bool network_namespace; /* with `loopback`: its loopback interface is up */
	bool loopback;
	bool relay;          /* with both: a relay reaches what the lists allow (network/start_relay.h) */
	bool closed_servers; /* no TCP port may be listened on, although the interface is up */
	const char **network_allow, **network_deny; /* network/rules.h */
	const char **name_servers, **search_domains; /* of resolv.conf(5) */
	const char **pinned_hosts; /* `ADDRESS NAME` of hosts(5) */
	enum network network;   /* NONE: the filter refuses internet sockets */
	const char *cwd;
	const char *inside; /* with `mounts` and `listener`: the folder for the file by which ion knows that it is inside; or NULL */
	const char *outer_config; /* with `inside`: the text of a second file, for ion inside; or NULL */
	uint64_t nonce;     /* in that file; not an option, but made at the start */
	/* With `listener`: the command's first open of this name gives it this text (answer/files/script.h). Both, or NULL. */
	const char *script_name, *script;
	/* The numbers under which the command gets the two descriptors of make's jobserver; 0 = none. */
	uint64_t jobserver_reads, jobserver_writes;
	/* Canonical paths, each list NULL-terminated, parents before children. */
	const char **writable; /* the only places that are not read-only */
	const char **view_roots; /* with `view`: further paths, read-only; none is in another or in one of `writable` */
	const char **view_links, **view_targets; /* symlinks in it, and their targets at the same position */
	const char **pinned;   /* can't be renamed or removed */
	const char **readonly; /* pinned, and read-only */
	const char **masked;   /* replaced by an empty, unreadable file or folder */
	const char **ownerless;  /* folders in which root has only the rights of any other user */
	const char **owned;      /* not these paths below them */
	const char **executable; /* if not empty: only these hold programs */
	const char **noexec;     /* and not these folders below them */
	const char **absent;   /* protected, and not existing: their creation is refused */
	/* Patterns (path_pattern.h) of paths that may not be opened, moved or linked, and at the same position their entries
	 * of denied_paths. Opens for reading are notified only with one. */
	const char **denied, **denied_entries;
	/* Patterns of exceptions, and at the same position the pattern that would deny them. */
	const char **excepted, **excepted_from;
	/* Hooks and configs of repositories anywhere in `writable` are protected as well (git_repositories.h). */
	bool nested_hooks, nested_config;
	const char **git_folders; /* git folders of the workspace's own repository, which are not among them */
	const char **watched;  /* reported once each when a call that may change it is allowed */
	/* Git configs that the command sees as a private copy, at the same position in both lists. The copy is a mount point, so a
	 * rename onto it fails, and the supervisor carries it out on the copy. ion merges the permitted changes when the tree is
	 * dead. */
	const char **shadowed;
	const char **shadows;
	const char **devices;  /* may be written besides `writable`; not folders of the command's own */
	const char **deny;     /* deny_commands globs */
	const char **rules;    /* deny rules and the allow rules that outweigh them: see prefix_rules.h */
	/* Files that are known by a name, and those names at the same position: programs in deny rules, and programs that run
	 * another one without executing it. */
	const char **known_names, **known_programs;
	const char **global_flags;    /* `git -p`: options without a value before a subcommand */
	const char **global_values;   /* `git -C`: those that take a value */
	const char **global_ends;     /* `@shell -c`: no operand follows them */
	const char **interpreters;    /* `@shell dash`: a kind, whose options are in the lists above, and a glob of its names */
	const char **modules;         /* `@python ensurepip pip`: a kind, a module, and the program that it represents */
	const char **multi_calls;     /* `busybox sh ash`: a multi-call program, and those of its applets that are shells */
	/* Read mode: only these files, canonical, and files below these folders execute. */
	const char **programs, **program_folders;
	const char **held;            /* globs of variables that must equal those in `environment` at each of these executions */
	const char **readable;        /* may be read and executed besides `writable`; canonical with REPORT_ALL */
	const char **unix_sockets;    /* may be connected to besides sockets that the run binds */
	const char **cleanup;         /* folders that ion removes after the run; the launcher removes them when ion is gone */
	const char **disk_roots;      /* where the command may write, with a limit of `disk` */
	struct limits limits;
	const char *cgroup;  /* a folder of cgroup v2 in which to create the run's own group; NULL: none */
	uint64_t timeout_ms; /* 0 = none */
	uint64_t timeout_signal; /* what the command gets then; 0 = SIGTERM */
	uint64_t grace_ms;   /* between the signal to end and the kill */
	const char **environment; /* NAME=value, of the command */
	void *lists;         /* the allocation behind every list */
	char **argv;         /* the program (an absolute path) and its arguments, NULL-terminated */
};

/* Parse `size` bytes of NUL-terminated `key=value` strings. The last string must be `end=1`, so that a truncated file is noticed.
 * `argv` points into `text`.
 *
 * Returns 0, or -EINVAL with `*bad` set to the string that is unknown, malformed, repeated or missing. An unknown option is an
 * error: skipping it could drop a protection. */
int parse_options(char *text, size_t size, struct options *options, const char **bad);

/* For callers that parse more than once. */
void free_options(struct options *options);

#endif
