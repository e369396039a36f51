#define _GNU_SOURCE
#ifdef __x86_64__
#include <asm/prctl.h>
#endif
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/inside_call.h"
#include "base/kernel_abi.h"
#include "seccomp/filter_rows.h"

/* See notify.c for the answers. sendmsg(2) has its address in memory, where a filter cannot read it. So every call is notified. */
static const struct row everywhere[] = {
	ALWAYS(__NR_connect, NOTIFY),
	WHEN(__NR_sendto, NOTIFY, ARG_NOT_NULL(4)),
	ALWAYS(__NR_sendmsg, NOTIFY),
	ALWAYS(__NR_sendmmsg, NOTIFY),
	/* A terminal stops whole groups of its session when a member reads in the background. The kernel hangs up a group
	 * without a process in it to hold it. */
	ALWAYS(__NR_setpgid, NOTIFY),
	WHEN(__NR_prctl, NOTIFY, ARG_IS(0, ION_INSIDE_CALL)),
};
const struct rows asked = ROWS(everywhere);

/* Scheduling of a process by its number; 0 is the calling process. */
static const struct row by_number[] = {
	WHEN(__NR_sched_setaffinity, NOTIFY, ARG_IS_NOT(0, 0)),
	WHEN(__NR_sched_setscheduler, NOTIFY, ARG_IS_NOT(0, 0)),
	WHEN(__NR_sched_setparam, NOTIFY, ARG_IS_NOT(0, 0)),
	WHEN(__NR_sched_setattr, NOTIFY, ARG_IS_NOT(0, 0)),
	WHEN(__NR_setpriority, NOTIFY, ARG_IS_NOT(1, 0)),
	WHEN(__NR_ioprio_set, NOTIFY, ARG_IS_NOT(1, 0)),
};
const struct rows asked_by_number = ROWS(by_number);

/* Three uses. No TCP port may be listened on: Landlock, or an interface that is down, refuses it without a report. Only ports of
 * the loopback may be listened on. It is also notified for the file of a unix socket. */
static const struct row binds[] = {
	ALWAYS(__NR_bind, NOTIFY),
};
const struct rows asked_binds = ROWS(binds);

/* Calls that create and end a listener. SHUT_WR has no effect on one (Linux: net/ipv4/af_inet.c, inet_shutdown). */
static const struct row listens[] = {
	ALWAYS(__NR_listen, NOTIFY),
	WHEN(__NR_shutdown, NOTIFY, ARG_IS_NOT(1, SHUT_WR)),
};
const struct rows asked_listens = ROWS(listens);

/* Only if executions are reported. A notification moves the new process to another processor, so a fork and exec takes half
 * again as long. Landlock's refusal of a program outside the roots does not need it. */
static const struct row executions[] = {
	ALWAYS(__NR_execve, NOTIFY),
	ALWAYS(__NR_execveat, NOTIFY),
};
const struct rows asked_executions = ROWS(executions);

/* The first calls of a new program, before any code of its own: glibc's loader, musl and Go set their thread pointer. arm64
 * needs no call for that. There the libraries call set_tid_address(2), and Go calls sched_getaffinity(2). */
static const struct row rechecks[] = {
#ifdef __NR_arch_prctl
	WHEN(__NR_arch_prctl, NOTIFY, ARG_IS(0, ARCH_SET_FS)),
#else
	ALWAYS(__NR_set_tid_address, NOTIFY),
	ALWAYS(__NR_sched_getaffinity, NOTIFY),
#endif
};
const struct rows asked_rechecks = ROWS(rechecks);

/* Signals, without a Landlock scope for them (ABI 6). */
static const struct row unscoped[] = {
	ALWAYS(__NR_kill, NOTIFY),
	ALWAYS(__NR_tkill, NOTIFY),
	ALWAYS(__NR_tgkill, NOTIFY),
	ALWAYS(__NR_rt_sigqueueinfo, NOTIFY),
	ALWAYS(__NR_rt_tgsigqueueinfo, NOTIFY),
	ALWAYS(__NR_pidfd_send_signal, NOTIFY),
	WHEN(__NR_fcntl, NOTIFY, ARG_IS(1, F_SETOWN)),
	WHEN(__NR_ioctl, NOTIFY, ARG_IS(1, FIOASYNC)), /* nginx, of a socket */
};
const struct rows asked_unscoped = ROWS(unscoped);

#define WRITES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)

static const struct row writes[] = {
	WHEN(__NR_openat, NOTIFY, ARG_HAS(2, WRITES)),
	ALWAYS(__NR_truncate, NOTIFY),
	/* Notified only for the remembered folders. */
	ALWAYS(__NR_chdir, NOTIFY),
	ALWAYS(__NR_fchdir, NOTIFY),
#ifdef __NR_open
	WHEN(__NR_open, NOTIFY, ARG_HAS(1, WRITES)),
#endif
};
const struct rows asked_writes = ROWS(writes);

/* New files, other than by open(2): notified for denied paths as well. */
static const struct row makes[] = {
	ALWAYS(__NR_mkdirat, NOTIFY),
	ALWAYS(__NR_mknodat, NOTIFY),
	ALWAYS(__NR_symlinkat, NOTIFY),
#ifdef __NR_open
	ALWAYS(__NR_creat, NOTIFY),
	ALWAYS(__NR_mkdir, NOTIFY),
	ALWAYS(__NR_mknod, NOTIFY),
	ALWAYS(__NR_symlink, NOTIFY),
#endif
};
const struct rows asked_makes = ROWS(makes);

/* Where writes are not reported, for streams that were given for reading or appending only. */
static const struct row opens[] = {
	WHEN(__NR_openat, NOTIFY, ARG_HAS(2, WRITES)),
#ifdef __NR_open
	WHEN(__NR_open, NOTIFY, ARG_HAS(1, WRITES)),
	ALWAYS(__NR_creat, NOTIFY),
#endif
};
const struct rows asked_opens = ROWS(opens);

/* Calls that would truncate a stream given for appending, or end the appending. */
static const struct row of_appended[] = {
	ALWAYS(__NR_ftruncate, NOTIFY),
	WHEN(__NR_fcntl, NOTIFY, ARG_IS(1, F_SETFL), ARG_MASKED(2, O_APPEND, 0)),
};
const struct rows asked_of_appended = ROWS(of_appended);

/* New names for existing files. They are notified for denied reads as well, because these depend on names. */
static const struct row moves[] = {
	ALWAYS(__NR_renameat, NOTIFY),
	ALWAYS(__NR_renameat2, NOTIFY),
	ALWAYS(__NR_linkat, NOTIFY),
#ifdef __NR_open
	ALWAYS(__NR_rename, NOTIFY),
	ALWAYS(__NR_link, NOTIFY),
#endif
};
const struct rows asked_moves = ROWS(moves);

/* With mounts, they are notified only for the report: git continues after a file that it could not replace, and exits with 0. */
static const struct row removals[] = {
	ALWAYS(__NR_unlinkat, NOTIFY),
#ifdef __NR_open
	ALWAYS(__NR_unlink, NOTIFY),
	ALWAYS(__NR_rmdir, NOTIFY),
#endif
};
const struct rows asked_removals = ROWS(removals);

/* Requests that change a file by a descriptor that need not be open for writing. Source: include/uapi/linux/{fs,fsverity,
 * fscrypt,msdos_fs}.h, fs/ext4/ext4.h. */
#define SET_FLAGS 0x40086602u
#define SET_EXTENDED_FLAGS 0x401c5820u
#define SET_VERSION 0x40087602u
#define EXT4_SET_VERSION 0x40086604u
#define ENABLE_VERITY 0x40806685u
#define SET_ENCRYPTION 0x800c6613u
#define SET_FAT_ATTRIBUTES 0x40047211u

/* Calls that read-only mounts refuse by themselves, as long as the mounts exist (kept_mounts.h). With AT_EMPTY_PATH, or without a
 * path, on the file of the descriptor. */
static const struct row metadata[] = {
	ALWAYS(__NR_fchmodat, NOTIFY),
	ALWAYS(__NR_fchmodat2, NOTIFY),
	ALWAYS(__NR_fchownat, NOTIFY),
	ALWAYS(__NR_utimensat, NOTIFY),
	ALWAYS(__NR_setxattr, NOTIFY),
	ALWAYS(__NR_lsetxattr, NOTIFY),
	ALWAYS(__NR_setxattrat, NOTIFY),
	ALWAYS(__NR_removexattr, NOTIFY),
	ALWAYS(__NR_lremovexattr, NOTIFY),
	ALWAYS(__NR_removexattrat, NOTIFY),
	ALWAYS(__NR_file_setattr, NOTIFY),
	ALWAYS(__NR_fchmod, NOTIFY),
	ALWAYS(__NR_fchown, NOTIFY),
	ALWAYS(__NR_fsetxattr, NOTIFY),
	ALWAYS(__NR_fremovexattr, NOTIFY),
	WHEN(__NR_ioctl, NOTIFY, ARG_IS(1, SET_FLAGS)),
	WHEN(__NR_ioctl, NOTIFY, ARG_IS(1, SET_EXTENDED_FLAGS)),
	WHEN(__NR_ioctl, NOTIFY, ARG_IS(1, SET_VERSION)),
	WHEN(__NR_ioctl, NOTIFY, ARG_IS(1, EXT4_SET_VERSION)),
	WHEN(__NR_ioctl, NOTIFY, ARG_IS(1, ENABLE_VERITY)),
	WHEN(__NR_ioctl, NOTIFY, ARG_IS(1, SET_ENCRYPTION)),
	WHEN(__NR_ioctl, NOTIFY, ARG_IS(1, SET_FAT_ATTRIBUTES)),
#ifdef __NR_open
	ALWAYS(__NR_chmod, NOTIFY),
	ALWAYS(__NR_chown, NOTIFY),
	ALWAYS(__NR_lchown, NOTIFY),
	ALWAYS(__NR_utime, NOTIFY),
	ALWAYS(__NR_utimes, NOTIFY),
	ALWAYS(__NR_futimesat, NOTIFY),
#endif
};
const struct rows asked_metadata = ROWS(metadata);

/* Opens that do not write: notified only where refused reads are reported too, or for denied_paths that no mount masks. */
static const struct row reads[] = {
	ALWAYS(__NR_openat, NOTIFY),
#ifdef __NR_open
	ALWAYS(__NR_open, NOTIFY),
#endif
};
const struct rows asked_reads = ROWS(reads);

/* As bash opens a script: glibc with no flag at all, musl with O_LARGEFILE alone. Most other opens have O_CLOEXEC. */
#define NOT_LARGE ~0x28000u /* O_LARGEFILE of x86-64 and arm64 */

static const struct row script[] = {
	WHEN(__NR_openat, NOTIFY, ARG_MASKED(2, NOT_LARGE, 0)),
#ifdef __NR_open
	WHEN(__NR_open, NOTIFY, ARG_MASKED(1, NOT_LARGE, 0)),
#endif
};
const struct rows asked_script = ROWS(script);
