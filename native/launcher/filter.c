#define _GNU_SOURCE
#include "filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "abi.h"

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#error "the system call tables below are written for x86-64 and arm64"
#endif

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

/* Refuse `nr` with `error` when every test holds. `error` 0 answers success without doing anything, NOTIFY asks the
 * supervisor. */
#define NOTIFY (-1)
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
#define ARG_NOT_NULL(n) { (n), POINTER, 0, 0 }

#define NEW_NAMESPACES                                                                              \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | \
	 CLONE_NEWNET)
#define NEWTIME 0x00000080 /* in clone(2) these bits are the exit signal; unshare(2) takes them as a flag */
#define SETID_BITS (S_ISUID | S_ISGID)
#define CREATES (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))
#define TIOCSTI_REQUEST 0x5412u
#define TIOCLINUX_REQUEST 0x541cu

/* Rows of one system call stand together; what programs call most comes first, because a call that the
 * kernel cannot answer from its bitmap of always-allowed calls walks this list from the top. */
static const struct row rows[] = {
	/* A set-id file in the workspace is a root shell for whoever runs it outside. The kernel drops these bits
	 * from mkdir(2) itself. openat2(2) has its mode in memory, where a filter cannot look: callers fall back. */
	WHEN(__NR_openat, EPERM, ARG_HAS(2, CREATES), ARG_HAS(3, SETID_BITS)),
	WHEN(__NR_fchmodat, EPERM, ARG_HAS(2, SETID_BITS)),
	WHEN(__NR_fchmodat2, EPERM, ARG_HAS(2, SETID_BITS)),
	WHEN(__NR_fchmod, EPERM, ARG_HAS(1, SETID_BITS)),
	ALWAYS(__NR_openat2, ENOSYS),
#ifdef __NR_open
	WHEN(__NR_open, EPERM, ARG_HAS(1, CREATES), ARG_HAS(2, SETID_BITS)),
	WHEN(__NR_creat, EPERM, ARG_HAS(1, SETID_BITS)),
	WHEN(__NR_chmod, EPERM, ARG_HAS(1, SETID_BITS)),
	WHEN(__NR_mknod, EPERM, ARG_HAS(1, SETID_BITS)),
	WHEN(__NR_mknod, EPERM, ARG_MASKED(1, S_IFMT, S_IFCHR)),
	WHEN(__NR_mknod, EPERM, ARG_MASKED(1, S_IFMT, S_IFBLK)),
#endif
	WHEN(__NR_mknodat, EPERM, ARG_HAS(2, SETID_BITS)),
	WHEN(__NR_mknodat, EPERM, ARG_MASKED(2, S_IFMT, S_IFCHR)),
	WHEN(__NR_mknodat, EPERM, ARG_MASKED(2, S_IFMT, S_IFBLK)),

	/* Typing into the terminal that ion shares with the user's shell. */
	WHEN(__NR_ioctl, EPERM, ARG_IS(1, TIOCSTI_REQUEST)),
	WHEN(__NR_ioctl, EPERM, ARG_IS(1, TIOCLINUX_REQUEST)),

	/* Namespaces would bring back every capability, over a fresh set of mounts. glibc falls back from clone3,
	 * whose flags are in memory, to clone. */
	WHEN(__NR_clone, EPERM, ARG_HAS(0, NEW_NAMESPACES)),
	ALWAYS(__NR_clone3, ENOSYS),
	WHEN(__NR_unshare, EPERM, ARG_HAS(0, NEW_NAMESPACES | NEWTIME)),
	ALWAYS(__NR_setns, EPERM),
	ALWAYS(__NR_mount, EPERM),
	ALWAYS(__NR_umount2, EPERM),
	ALWAYS(__NR_pivot_root, EPERM),
	ALWAYS(__NR_chroot, EPERM),
	ALWAYS(__NR_open_tree, EPERM),
	ALWAYS(__NR_open_tree_attr, EPERM),
	ALWAYS(__NR_move_mount, EPERM),
	ALWAYS(__NR_fsopen, EPERM),
	ALWAYS(__NR_fsconfig, EPERM),
	ALWAYS(__NR_fsmount, EPERM),
	ALWAYS(__NR_fspick, EPERM),
	ALWAYS(__NR_mount_setattr, EPERM),

	/* Memory that nobody else can read: paths and addresses in it could not be looked at. */
	ALWAYS(__NR_memfd_secret, ENOSYS),

	/* io_uring does I/O that no filter sees. */
	ALWAYS(__NR_io_uring_setup, ENOSYS),
	ALWAYS(__NR_io_uring_enter, ENOSYS),
	ALWAYS(__NR_io_uring_register, ENOSYS),

	/* Opens files past every path check; attack surface that no build needs. */
	ALWAYS(__NR_open_by_handle_at, EPERM),
	ALWAYS(__NR_bpf, EPERM),
	ALWAYS(__NR_perf_event_open, EPERM),
	ALWAYS(__NR_userfaultfd, EPERM),
	ALWAYS(__NR_add_key, EPERM),
	ALWAYS(__NR_request_key, EPERM),
	ALWAYS(__NR_keyctl, EPERM),

	/* The machine itself. */
	ALWAYS(__NR_kexec_load, EPERM),
	ALWAYS(__NR_kexec_file_load, EPERM),
	ALWAYS(__NR_init_module, EPERM),
	ALWAYS(__NR_finit_module, EPERM),
	ALWAYS(__NR_delete_module, EPERM),
	ALWAYS(__NR_swapon, EPERM),
	ALWAYS(__NR_swapoff, EPERM),
	ALWAYS(__NR_reboot, EPERM),
	ALWAYS(__NR_settimeofday, EPERM),
	ALWAYS(__NR_clock_settime, EPERM),
	ALWAYS(__NR_clock_adjtime, EPERM),
	ALWAYS(__NR_adjtimex, EPERM),
	ALWAYS(__NR_acct, EPERM),
	ALWAYS(__NR_quotactl, EPERM),
	ALWAYS(__NR_quotactl_fd, EPERM),
	ALWAYS(__NR_sethostname, EPERM),
	ALWAYS(__NR_setdomainname, EPERM),
	ALWAYS(__NR_syslog, EPERM),
	ALWAYS(__NR_vhangup, EPERM),
#ifdef __NR_iopl
	ALWAYS(__NR_iopl, EPERM),
	ALWAYS(__NR_ioperm, EPERM),
#endif

	/* A new limit for another process: RLIMIT_CPU = 1 ends any process of the same user, and no Landlock
	 * scope knows of it. Own limits (pid 0) and reading (no new limit) stay. */
	WHEN(__NR_prlimit64, EPERM, ARG_IS_NOT(0, 0), ARG_NOT_NULL(2)),
	/* All processes of the user, ion's among them. */
	WHEN(__NR_setpriority, EPERM, ARG_IS(0, PRIO_USER)),
	WHEN(__NR_kill, EPERM, ARG_IS(0, ALL)),

	/* A task that is not dumpable cannot be looked at by its supervisor. Answered, not done. */
	WHEN(__NR_prctl, 0, ARG_IS(0, PR_SET_DUMPABLE), ARG_IS(1, 0)),

	WHEN(__NR_socketpair, EAFNOSUPPORT, ARG_IS_NOT(0, AF_UNIX)),
};

/* getifaddrs(3) asks NETLINK_ROUTE (0), and without CAP_NET_ADMIN it can only ask. */
static const struct row sockets[] = {
	WHEN(__NR_socket, EAFNOSUPPORT, ARG_IS_NOT(0, AF_UNIX), ARG_IS_NOT(0, AF_INET), ARG_IS_NOT(0, AF_INET6),
	     ARG_IS_NOT(0, AF_NETLINK)),
	WHEN(__NR_socket, EPROTONOSUPPORT, ARG_IS(0, AF_NETLINK), ARG_IS_NOT(2, 0)),
};

static const struct row sockets_without_network[] = {
	WHEN(__NR_socket, EACCES, ARG_IS(0, AF_INET)),
	WHEN(__NR_socket, EACCES, ARG_IS(0, AF_INET6)),
};

/* Where nobody looks at addresses, a unix socket could be connected to any daemon. Pairs have no address. */
static const struct row unix_sockets[] = { WHEN(__NR_socket, EACCES, ARG_IS(0, AF_UNIX)) };

/* Calls that act on a process by its number, and where that stands. Landlock's signal scope (ABI 6) covers signals
 * already; scheduling and limits no Landlock covers. */
static const struct {
	int nr;
	unsigned char argument;
} aimed[] = {
	{ __NR_kill, 0 },		{ __NR_tkill, 0 },		{ __NR_tgkill, 0 },
	{ __NR_rt_sigqueueinfo, 0 },	{ __NR_rt_tgsigqueueinfo, 0 },	{ __NR_pidfd_open, 0 },
	{ __NR_ptrace, 1 },		{ __NR_sched_setaffinity, 0 },	{ __NR_sched_setscheduler, 0 },
	{ __NR_sched_setparam, 0 },	{ __NR_sched_setattr, 0 },	{ __NR_setpriority, 1 },
	{ __NR_ioprio_set, 1 },		{ __NR_process_vm_writev, 0 },
};

/* See notify.c for who answers. sendmsg(2) has its address in memory: all of them are asked about. */
static const struct row notified[] = {
	ALWAYS(__NR_execve, NOTIFY),
	ALWAYS(__NR_execveat, NOTIFY),
	ALWAYS(__NR_connect, NOTIFY),
	WHEN(__NR_sendto, NOTIFY, ARG_NOT_NULL(4)),
	ALWAYS(__NR_sendmsg, NOTIFY),
	ALWAYS(__NR_sendmmsg, NOTIFY),
};

#define WRITES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)

static const struct row notified_writes[] = {
	WHEN(__NR_openat, NOTIFY, ARG_HAS(2, WRITES)),
	ALWAYS(__NR_mkdirat, NOTIFY),
	ALWAYS(__NR_mknodat, NOTIFY),
	ALWAYS(__NR_renameat, NOTIFY),
	ALWAYS(__NR_renameat2, NOTIFY),
	ALWAYS(__NR_linkat, NOTIFY),
	ALWAYS(__NR_symlinkat, NOTIFY),
	ALWAYS(__NR_truncate, NOTIFY),
#ifdef __NR_open
	WHEN(__NR_open, NOTIFY, ARG_HAS(1, WRITES)),
	ALWAYS(__NR_creat, NOTIFY),
	ALWAYS(__NR_mkdir, NOTIFY),
	ALWAYS(__NR_mknod, NOTIFY),
	ALWAYS(__NR_rename, NOTIFY),
	ALWAYS(__NR_link, NOTIFY),
	ALWAYS(__NR_symlink, NOTIFY),
#endif
};

/* What read-only mounts refuse by themselves: notified where there are none, or where every refusal is to be told. */
static const struct row notified_metadata[] = {
	ALWAYS(__NR_unlinkat, NOTIFY),
	ALWAYS(__NR_fchmodat, NOTIFY),
	ALWAYS(__NR_fchownat, NOTIFY),
	WHEN(__NR_utimensat, NOTIFY, ARG_NOT_NULL(1)),
	ALWAYS(__NR_setxattr, NOTIFY),
	ALWAYS(__NR_lsetxattr, NOTIFY),
#ifdef __NR_open
	ALWAYS(__NR_unlink, NOTIFY),
	ALWAYS(__NR_rmdir, NOTIFY),
	ALWAYS(__NR_chmod, NOTIFY),
	ALWAYS(__NR_chown, NOTIFY),
	ALWAYS(__NR_lchown, NOTIFY),
	ALWAYS(__NR_utime, NOTIFY),
	ALWAYS(__NR_utimes, NOTIFY),
	ALWAYS(__NR_futimesat, NOTIFY),
#endif
};

/* Opens that do not write: only where refused reads are to be told too. */
static const struct row notified_reads[] = {
	ALWAYS(__NR_openat, NOTIFY),
#ifdef __NR_open
	ALWAYS(__NR_open, NOTIFY),
#endif
};

struct builder {
	struct filter *filter;
	bool full;
};

static void emit(struct builder *builder, struct sock_filter instruction)
{
	if (builder->filter->length == FILTER_MAX)
		builder->full = true;
	else
		builder->filter->code[builder->filter->length++] = instruction;
}

#define DATA(field) (unsigned int)offsetof(struct seccomp_data, field)
/* Both architectures are little-endian: the low half of an argument comes first. */
#define LOW(n) (DATA(args) + 8u * (n))
#define HIGH(n) (LOW(n) + 4u)
#define LOAD(offset) (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define RETURN(value) (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, (value))

static unsigned char test_length(const struct test *test)
{
	return test->op == POINTER ? 4 : 3;
}

/* Code for one test: falls through when it holds, else jumps over `rest` more instructions. */
static void emit_test(struct builder *b, const struct test *test, unsigned char rest)
{
	emit(b, LOAD(LOW(test->argument)));
	if (test->op == POINTER) {
		emit(b, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2));
		emit(b, LOAD(HIGH(test->argument)));
		emit(b, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, rest, 0));
		return;
	}
	emit(b, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, test->mask));
	if (test->op == EQUAL)
		emit(b, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, test->value, 0, rest));
	else
		emit(b, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, test->value, rest, 0));
}

/* One row. The number is loaded again at its start, because the tests of the row before have replaced it. */
static void emit_row(struct builder *b, const struct row *row)
{
	unsigned char rest = 1; /* the return */

	for (int i = 0; i < row->tests; i++)
		rest += test_length(&row->test[i]);
	emit(b, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)row->nr, 0,
					     rest + (row->tests > 0)));
	for (int i = 0; i < row->tests; i++) {
		rest -= test_length(&row->test[i]);
		emit_test(b, &row->test[i], rest);
	}
	emit(b, RETURN(row->error == NOTIFY ? SECCOMP_RET_USER_NOTIF :
					      SECCOMP_RET_ERRNO | (row->error & SECCOMP_RET_DATA)));
	if (row->tests > 0)
		emit(b, LOAD(DATA(nr)));
}

static void emit_rows(struct builder *b, const struct row *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		emit_row(b, &list[i]);
}

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void emit_aimed(struct builder *b, pid_t pid)
{
	for (size_t i = 0; i < COUNT(aimed); i++) {
		struct row row = { aimed[i].nr, EPERM, 1,
				   { { aimed[i].argument, EQUAL, ALL, (unsigned int)pid } } };
		emit_row(b, &row);
	}
}

/* After the refusals: of two rows that hold, the first one answers. */
static void emit_notified(struct builder *b, const struct filter_input *input)
{
	emit_rows(b, notified, COUNT(notified));
	if (input->report != REPORT_MINIMAL)
		emit_rows(b, notified_writes, COUNT(notified_writes));
	if (input->report == REPORT_ALL)
		emit_rows(b, notified_reads, COUNT(notified_reads));
	if (input->report == REPORT_ALL || (input->report == REPORT_DENIALS && !input->mounts))
		emit_rows(b, notified_metadata, COUNT(notified_metadata));
}

int build_filter(const struct filter_input *input, struct filter *filter)
{
	struct builder builder = { filter, false };

	filter->length = 0;
	/* A 32-bit program has other numbers for the same calls: none of the rows would hold for it. */
	emit(&builder, LOAD(DATA(arch)));
	emit(&builder, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCH, 1, 0));
	emit(&builder, RETURN(SECCOMP_RET_KILL_PROCESS));
	emit(&builder, LOAD(DATA(nr)));
#ifdef __x86_64__
	emit(&builder, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1));
	emit(&builder, RETURN(SECCOMP_RET_ERRNO | ENOSYS)); /* x32 */
#endif
	emit_rows(&builder, rows, COUNT(rows));
	if (input->listener)
		emit_notified(&builder, input);
	emit_rows(&builder, sockets, COUNT(sockets));
	if (input->network == NETWORK_NONE)
		emit_rows(&builder, sockets_without_network, COUNT(sockets_without_network));
	if (input->unix_closed)
		emit_rows(&builder, unix_sockets, COUNT(unix_sockets));
	emit_aimed(&builder, input->ion);
	emit_aimed(&builder, input->launcher);
	emit(&builder, RETURN(SECCOMP_RET_ALLOW));
	return builder.full ? -E2BIG : 0;
}

#define NEW_LISTENER (1u << 3)
#define WAIT_KILLABLE_RECV (1u << 5)

int install_filter(const struct filter *filter, bool listener)
{
	struct sock_fprog program = { filter->length, (struct sock_filter *)filter->code };
	/* Without WAIT_KILLABLE_RECV (Linux 5.19) a signal restarts a call that is being looked at, and Go sends
	 * itself so many that some never end. */
	unsigned flags = listener ? NEW_LISTENER | WAIT_KILLABLE_RECV : 0;
	long fd = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);

	return fd < 0 ? -errno : (int)fd;
}
