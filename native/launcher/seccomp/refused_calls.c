#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fscrypt.h>
#include <linux/ioprio.h>
#include <linux/kd.h>
#include <linux/vt.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/kernel_abi.h"
#include "seccomp/filter_rows.h"

#define NEW_NAMESPACES                                                                              \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | \
	 CLONE_NEWNET)
#define NEWTIME 0x00000080 /* in clone(2) these bits are the exit signal; unshare(2) takes them as a flag */
#define SETID_BITS (S_ISUID | S_ISGID)
#define CREATES (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u /* Linux 6.3 */
#endif
#define TIOCSTI_REQUEST 0x5412u
#define TIOCLINUX_REQUEST 0x541cu
#define TIOCSETD_REQUEST 0x5423u
#define TIOCEXCL_REQUEST 0x540cu
#define FIOSETOWN_REQUEST 0x8901u
#define SIOCSPGRP_REQUEST 0x8902u
#define SETDELEG_COMMAND 1040u /* F_SETDELEG */
#define SIGNAL_PROCESS_GROUP (1u << 2) /* PIDFD_SIGNAL_PROCESS_GROUP, Linux 6.9 */

/* The rows are ordered by subject; filter.c sorts them by number. If several rows have one number, the first row whose tests hold
 * decides. */
static const struct row always[] = {
	/* A set-id file in the workspace is a root shell for any user who runs it outside. The kernel drops these bits from
	 * mkdir(2) itself. openat2(2) has its mode in memory, where a filter cannot look: callers fall back. */
	WHEN(__NR_openat, EPERM, ARG_HAS(2, CREATES), ARG_HAS(3, SETID_BITS)),
	ALWAYS(__NR_openat2, ENOSYS),
#ifdef __NR_open
	WHEN(__NR_open, EPERM, ARG_HAS(1, CREATES), ARG_HAS(2, SETID_BITS)),
	WHEN(__NR_creat, EPERM, ARG_HAS(1, SETID_BITS)),
	WHEN(__NR_mknod, EPERM, ARG_HAS(1, SETID_BITS)),
	WHEN(__NR_mknod, EPERM, ARG_MASKED(1, S_IFMT, S_IFCHR)),
	WHEN(__NR_mknod, EPERM, ARG_MASKED(1, S_IFMT, S_IFBLK)),
#endif
	WHEN(__NR_mknodat, EPERM, ARG_HAS(2, SETID_BITS)),
	WHEN(__NR_mknodat, EPERM, ARG_MASKED(2, S_IFMT, S_IFCHR)),
	WHEN(__NR_mknodat, EPERM, ARG_MASKED(2, S_IFMT, S_IFBLK)),
	/* It leaves a character device, for overlayfs only. The answer is that of a file system without this feature. */
	WHEN(__NR_renameat2, EINVAL, ARG_HAS(4, RENAME_WHITEOUT)),

	/* A lease blocks every process that opens the file for writing, even outside, until this run reacts (fcntl(2): up to
	 * /proc/sys/fs/lease-break-time). */
	WHEN(__NR_fcntl, EPERM, ARG_IS(1, F_SETLEASE)),
	/* The same for folders: it blocks a process that creates, renames or removes an entry in them (Linux 6.19). */
	WHEN(__NR_fcntl, EPERM, ARG_IS(1, SETDELEG_COMMAND)),
	/* As root it sees opens of other processes, on whole file systems. */
	ALWAYS(__NR_fanotify_init, EPERM),

	/* Typing into the terminal that ion shares with the user's shell. */
	WHEN(__NR_ioctl, EPERM, ARG_IS(1, TIOCSTI_REQUEST)),
	WHEN(__NR_ioctl, EPERM, ARG_IS(1, TIOCLINUX_REQUEST)),
	/* Makes the terminal useless to that shell: another line discipline passes no bytes, and an exclusive terminal cannot
	 * be opened. */
	WHEN(__NR_ioctl, EPERM, ARG_IS(1, TIOCSETD_REQUEST)),
	WHEN(__NR_ioctl, EPERM, ARG_IS(1, TIOCEXCL_REQUEST)),
	/* A virtual console: the run could turn off its keyboard, change its screen and key compositions, or leave the console
	 * switch to a process that is gone. The kernel allows this to every process that the console controls (Linux:
	 * drivers/tty/vt/vt_ioctl.c, vt_ioctl). */
	WHEN(__NR_ioctl, EPERM, ARG_IS(1, KDSKBMODE)),
	WHEN(__NR_ioctl, EPERM, ARG_IS(1, KDSETMODE)),
	WHEN(__NR_ioctl, EPERM, ARG_IS(1, VT_SETMODE)),
	WHEN(__NR_ioctl, EPERM, ARG_IS(1, KDSKBDIACR)),
	WHEN(__NR_ioctl, EPERM, ARG_IS(1, KDSKBDIACRUC)),

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

	/* This makes memory that no other process can read: the supervisor could not check paths and addresses in it. */
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
	/* The keys of a file system: without its key an encrypted folder of the user is closed to every process outside too,
	 * and an added key stays (Documentation/filesystems/fscrypt.rst, "FS_IOC_REMOVE_ENCRYPTION_KEY"). */
	WHEN(__NR_ioctl, EPERM, ARG_IS(1, FS_IOC_ADD_ENCRYPTION_KEY)),
	WHEN(__NR_ioctl, EPERM, ARG_IS(1, FS_IOC_REMOVE_ENCRYPTION_KEY)),
	WHEN(__NR_ioctl, EPERM, ARG_IS(1, FS_IOC_REMOVE_ENCRYPTION_KEY_ALL_USERS)),

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

	/* All processes of the user, or of a group: ion is in the command's own group. */
	WHEN(__NR_setpriority, EPERM, ARG_IS_NOT(0, PRIO_PROCESS)),
	WHEN(__NR_ioprio_set, EPERM, ARG_IS_NOT(0, IOPRIO_WHO_PROCESS)),
	/* Memory, placement and descriptors of another process; own ones (0) stay allowed where the call has that form. */
	WHEN(__NR_migrate_pages, EPERM, ARG_IS_NOT(0, 0)),
	WHEN(__NR_move_pages, EPERM, ARG_IS_NOT(0, 0)),
	WHEN(__NR_prctl, EPERM, ARG_IS(0, PR_SCHED_CORE)),
	ALWAYS(__NR_process_madvise, EPERM),
	ALWAYS(__NR_process_mrelease, EPERM),
	ALWAYS(__NR_pidfd_getfd, EPERM),
	ALWAYS(__NR_kcmp, EPERM),

	/* The supervisor cannot read a task that is not dumpable. The call returns success without effect. */
	WHEN(__NR_prctl, 0, ARG_IS(0, PR_SET_DUMPABLE), ARG_IS(1, 0)),

	WHEN(__NR_socketpair, EAFNOSUPPORT, ARG_IS_NOT(0, AF_UNIX)),
};

const struct rows refused = ROWS(always);

/* A new limit for another process: RLIMIT_CPU = 1 ends any process of the same user, and no Landlock scope covers it. Own limits
 * (pid 0) and reading (no new limit) stay allowed. */
#define OF_LIMITS(answer) WHEN(__NR_prlimit64, answer, ARG_IS_NOT(0, 0), ARG_NOT_NULL(2))

static const struct row limits[] = { OF_LIMITS(EPERM) };
const struct rows refused_limits = ROWS(limits);

static const struct row limits_asked[] = { OF_LIMITS(NOTIFY) };
const struct rows asked_limits = ROWS(limits_asked);

/* All processes of the user. */
static const struct row signals_to_all[] = { WHEN(__NR_kill, EPERM, ARG_IS(0, ALL)) };
const struct rows refused_signals_to_all = ROWS(signals_to_all);

/* The set-group-ID bit is harmless on a folder: it selects the group of new files. Without a supervisor nothing can check
 * whether the call is for a folder, so the filter refuses both bits. A supervisor always refuses the set-user-ID bit, and
 * reports it. */
#define OF_SETID(answer)                                               \
	WHEN(__NR_fchmodat, answer, ARG_HAS(2, SETID_BITS)),           \
		WHEN(__NR_fchmodat2, answer, ARG_HAS(2, SETID_BITS)),  \
		WHEN(__NR_fchmod, answer, ARG_HAS(1, SETID_BITS))

static const struct row set_id[] = {
	OF_SETID(EPERM),
#ifdef __NR_chmod
	WHEN(__NR_chmod, EPERM, ARG_HAS(1, SETID_BITS)),
#endif
};
const struct rows refused_set_id = ROWS(set_id);

static const struct row set_id_asked[] = {
	OF_SETID(NOTIFY),
#ifdef __NR_chmod
	WHEN(__NR_chmod, NOTIFY, ARG_HAS(1, SETID_BITS)),
#endif
};
const struct rows asked_set_id = ROWS(set_id_asked);

/* Landlock does not check files without a place in the file system: a copy in one would execute. */
static const struct row memory_files[] = { WHEN(__NR_memfd_create, ENOSYS, ARG_MASKED_NOT(1, MFD_NOEXEC_SEAL, MFD_NOEXEC_SEAL)) };
const struct rows refused_memory_files = ROWS(memory_files);

#define RWF_NOAPPEND_FLAG 0x20u /* Linux 6.9 */
#define REQUEST(type_and_number) { 1, EQUAL, 0xffffu, (type_and_number) }
#define NO_REQUEST(type_and_number) WHEN(__NR_ioctl, EOPNOTSUPP, REQUEST(type_and_number))

/* Calls that write a file before its end, or truncate it, although its descriptor is for appending. copy_file_range(2),
 * splice(2), sendfile(2) and cloning refuse such a descriptor by themselves. */
static const struct row of_appended[] = {
	WHEN(__NR_fallocate, EOPNOTSUPP, ARG_HAS(1, ~(unsigned)FALLOC_FL_KEEP_SIZE)),
	WHEN(__NR_pwritev2, EOPNOTSUPP, ARG_HAS(5, RWF_NOAPPEND_FLAG)),
	ALWAYS(__NR_io_setup, ENOSYS), /* its requests have such a flag in memory */
	/* Source: include/uapi/linux/falloc.h, fs/xfs/libxfs/xfs_fs.h, fs/ext4/ext4.h, include/uapi/linux/f2fs.h: returning
	 * space, zeros, exchanged contents. */
	NO_REQUEST(0x580a),
	NO_REQUEST(0x580b),
	NO_REQUEST(0x5824),
	NO_REQUEST(0x5825),
	NO_REQUEST(0x582b),
	NO_REQUEST(0x5839),
	NO_REQUEST(0x586d),
	NO_REQUEST(0x5881),
	NO_REQUEST(0x660f),
	NO_REQUEST(0xf509),
	NO_REQUEST(0xf514),
};
const struct rows refused_of_appended = ROWS(of_appended);

/* A descriptor signals its owner (SIGIO, or any signal by F_SETSIG), and these name the owner in memory. */
static const struct row unscoped[] = {
	WHEN(__NR_fcntl, EPERM, ARG_IS(1, F_SETOWN_EX)),
	WHEN(__NR_ioctl, EPERM, ARG_IS(1, FIOSETOWN_REQUEST)),
	WHEN(__NR_ioctl, EPERM, ARG_IS(1, SIOCSPGRP_REQUEST)),
	/* A terminal without an owner for its signals sends them to its foreground process group (Linux: drivers/tty/tty_io.c,
	 * __tty_fasync): one signal would end ion and the launcher at once. For sockets see notified_calls.c. No program needs
	 * another signal in the place of SIGIO. */
	WHEN(__NR_fcntl, EPERM, ARG_IS(1, F_SETFL), ARG_HAS(2, O_ASYNC)),
	WHEN(__NR_fcntl, EPERM, ARG_IS(1, F_SETSIG)),
	/* A pidfd of its own reaches every process in its process group. */
	WHEN(__NR_pidfd_send_signal, EPERM, ARG_HAS(3, SIGNAL_PROCESS_GROUP)),
};
const struct rows refused_unscoped = ROWS(unscoped);

/* ion and the launcher are in the run's own process group. A signal to the group could kill both at once. Then
 * nothing would kill the rest of the tree. */
static const struct row unwatched[] = {
	WHEN(__NR_kill, EPERM, ARG_IS(0, 0)),
	WHEN(__NR_fcntl, EPERM, ARG_IS(1, F_SETOWN)),
	WHEN(__NR_ioctl, EPERM, ARG_IS(1, FIOASYNC)),
};
const struct rows refused_unwatched = ROWS(unwatched);

/* Refused for ion and the launcher themselves, even with a supervisor. Landlock's signal scope (ABI 6) already covers signals;
 * no Landlock right covers scheduling and limits. */
const struct pid_argument pid_arguments[] = {
	{ __NR_kill, 0 },		{ __NR_tkill, 0 },		{ __NR_tgkill, 0 },
	{ __NR_rt_sigqueueinfo, 0 },	{ __NR_rt_tgsigqueueinfo, 0 },	{ __NR_pidfd_open, 0 },
	{ __NR_ptrace, 1 },		{ __NR_sched_setaffinity, 0 },	{ __NR_sched_setscheduler, 0 },
	{ __NR_sched_setparam, 0 },	{ __NR_sched_setattr, 0 },	{ __NR_setpriority, 1 },
	{ __NR_ioprio_set, 1 },		{ __NR_process_vm_writev, 0 },
};
const size_t aims_count = sizeof(pid_arguments) / sizeof(pid_arguments[0]);
