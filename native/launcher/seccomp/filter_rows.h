/* The tables of the filter: the system calls that are refused, answered or notified, decided on registers. */
#ifndef ION_FILTER_ROWS_H
#define ION_FILTER_ROWS_H

#include <stddef.h>
#include <sys/syscall.h>

/* A condition on the low 32 bits of one argument. The kernel itself takes these arguments as int, unsigned int
 * or umode_t and ignores the rest of the register: comparing all 64 bits would let `TIOCSTI | 1 << 32` through. */
enum op {
	EQUAL,     /* (argument & mask) == value */
	NOT_EQUAL, /* (argument & mask) != value */
	ANY,       /* (argument & mask) != 0 */
	POINTER,   /* the whole 64-bit argument is not null */
};

struct test {
	unsigned char argument;
	enum op op;
	unsigned int mask;
	unsigned int value;
};

#define TESTS_MAX 4

/* Refuse `nr` with `error` when every test holds. `error` 0 returns success without any effect. NOTIFY asks the supervisor. ALLOW
 * lets the kernel do it, whatever the later rows contain. */
#define NOTIFY (-1)
#define ALLOW (-2)
struct row {
	int nr;
	int error;
	unsigned char tests;
	struct test test[TESTS_MAX];
};

#define ALL 0xffffffffu
#define ALWAYS(nr, error) { (nr), (error), 0, { { 0, EQUAL, 0, 0 } } }
#define WHEN(nr, error, ...) \
	{ (nr), (error), sizeof((struct test[]){ __VA_ARGS__ }) / sizeof(struct test), { __VA_ARGS__ } }
#define ARG_IS(n, v) { (n), EQUAL, ALL, (v) }
#define ARG_IS_NOT(n, v) { (n), NOT_EQUAL, ALL, (v) }
#define ARG_HAS(n, bits) { (n), ANY, (bits), 0 }
#define ARG_MASKED(n, bits, v) { (n), EQUAL, (bits), (v) }
#define ARG_MASKED_NOT(n, bits, v) { (n), NOT_EQUAL, (bits), (v) }
#define ARG_NOT_NULL(n) { (n), POINTER, 0, 0 }

struct rows {
	const struct row *list;
	size_t count;
};

#define ROWS(list) { (list), sizeof(list) / sizeof((list)[0]) }

/* refused_calls.c */
extern const struct rows refused;
/* Without a PID namespace. */
extern const struct rows refused_limits; /* without a supervisor to check whether they are the caller's own */
extern const struct rows asked_limits;
extern const struct rows refused_signals_to_all; /* without a Landlock scope for signals and without a supervisor */
extern const struct rows refused_set_id; /* without a supervisor to check whether it is a folder */
extern const struct rows asked_set_id;
extern const struct rows refused_unscoped;  /* without a Landlock scope for signals */
extern const struct rows refused_unwatched; /* without that scope, and without a supervisor either */
extern const struct rows refused_memory_files; /* where some folders hold no programs */
extern const struct rows refused_of_appended; /* with a stream that may only be appended to */

/* refused_ids.c: where the run has a user namespace with one user and one group. */
struct rows refused_ids(unsigned user, unsigned group);

/* refused_sockets.c */
extern const struct rows refused_families;
extern const struct rows refused_internet;
extern const struct rows refused_multipath; /* programs fall back to TCP */
extern const struct rows refused_beyond_loopback; /* where the supervisor looks at TCP */
extern const struct rows refused_unix; /* without a supervisor that checks addresses */

/* ioctl_rows.c: in this order, after all other rows of ioctl(2). */
extern const struct rows known_requests;
extern const struct rows other_requests; /* refused, unless the user has granted a device, whose requests are unknown */

/* notified_calls.c: calls that the supervisor checks. */
extern const struct rows asked;
extern const struct rows asked_by_number; /* without a PID namespace */
extern const struct rows asked_binds;
extern const struct rows asked_listens;
extern const struct rows asked_executions;
extern const struct rows asked_rechecks;
extern const struct rows asked_unscoped;
extern const struct rows asked_writes;
extern const struct rows asked_makes;
extern const struct rows asked_opens; /* those of `asked_writes` and `asked_makes` that open */
extern const struct rows asked_of_appended;
extern const struct rows asked_moves;
extern const struct rows asked_removals;
extern const struct rows asked_metadata;
extern const struct rows asked_reads;
extern const struct rows asked_script;

/* Calls that act on a process by its number, and the register with the number. */
struct pid_argument {
	int nr;
	unsigned char argument;
};
extern const struct pid_argument pid_arguments[];
extern const size_t aims_count;

#endif
