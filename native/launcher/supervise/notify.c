#define _GNU_SOURCE
#include "supervise/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel_abi.h"
#include "answer/exec/recheck.h"
#include "answer/files/made_files.h"
#include "answer/files/script.h"
#include "confine/given_streams.h"
#include "paths/remembered_folder.h"

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

static int answer_ioctl(const struct call *call)
{
	return (unsigned)call->data->args[1] == FIOASYNC ? answer_target(call) : answer_write(call);
}

/* Opens for reading are notified for several reasons (add_asked in seccomp/filter.c). */
static int answer_open(const struct call *call)
{
	const struct options *options = call->watch->options;
	const bool reads = !(call->data->args[call->data->nr == __NR_openat ? 2 : 1] & (O_ACCMODE | O_CREAT | O_TRUNC));

	if (!reads || !options->script)
		return answer_write(call);
	const int result = answer_script(call);
	const bool looks = options->report == REPORT_ALL || options->denied[0] || ways_given().unread;
	return result == CONTINUE && looks ? answer_write(call) : result;
}

static int answer_fcntl(const struct call *call)
{
	return (unsigned)call->data->args[1] == F_SETFL ? answer_flags(call) : answer_target(call);
}

/* Each change of a current folder, not only those of the caller: threads can share it. */
static int answer_folder(const struct call *call)
{
	(void)call;
	forget_folders();
	return CONTINUE;
}

static int answer_mode(const struct call *call)
{
	const bool by_folder = call->data->nr == __NR_fchmodat || call->data->nr == __NR_fchmodat2;

	return call->data->args[by_folder ? 2 : 1] & (S_ISUID | S_ISGID) ? answer_set_id(call) : answer_write(call);
}

/* The run's number, by which ion-sh knows that it is inside (base/inside_call.h). */
static int answer_inside(const struct call *call)
{
	const uint64_t nonce = call->watch->options->nonce;
	struct seccomp_notif_resp response = { .id = call->id, .val = (int64_t)nonce };

	if (nonce == 0)
		return -EINVAL;
	(void)ioctl(call->watch->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
	return ANSWERED;
}

static const struct {
	int nr;
	const char *name;
	int (*judge)(const struct call *);
} table[] = {
	{ __NR_openat, "openat", answer_open },
	{ __NR_execve, "execve", answer_exec },
	{ __NR_execveat, "execveat", answer_exec },
#ifdef __NR_arch_prctl
	{ __NR_arch_prctl, "arch_prctl", answer_recheck },
#else
	{ __NR_set_tid_address, "set_tid_address", answer_recheck },
	{ __NR_sched_getaffinity, "sched_getaffinity", answer_recheck },
#endif
	{ __NR_connect, "connect", answer_connect },
	{ __NR_bind, "bind", answer_bind },
	{ __NR_listen, "listen", answer_listen },
	{ __NR_shutdown, "shutdown", answer_shutdown },
	{ __NR_sendto, "sendto", answer_send },
	{ __NR_sendmsg, "sendmsg", answer_send },
	{ __NR_sendmmsg, "sendmmsg", answer_send },
	{ __NR_ioctl, "ioctl", answer_ioctl },
	{ __NR_fcntl, "fcntl", answer_fcntl },
	{ __NR_ftruncate, "ftruncate", answer_ftruncate },
	{ __NR_kill, "kill", answer_target },
	{ __NR_tkill, "tkill", answer_target },
	{ __NR_tgkill, "tgkill", answer_target },
	{ __NR_rt_sigqueueinfo, "rt_sigqueueinfo", answer_target },
	{ __NR_rt_tgsigqueueinfo, "rt_tgsigqueueinfo", answer_target },
	{ __NR_pidfd_send_signal, "pidfd_send_signal", answer_target },
	{ __NR_sched_setaffinity, "sched_setaffinity", answer_target },
	{ __NR_sched_setscheduler, "sched_setscheduler", answer_target },
	{ __NR_sched_setparam, "sched_setparam", answer_target },
	{ __NR_sched_setattr, "sched_setattr", answer_target },
	{ __NR_setpriority, "setpriority", answer_target },
	{ __NR_ioprio_set, "ioprio_set", answer_target },
	{ __NR_setpgid, "setpgid", answer_target },
	{ __NR_prlimit64, "prlimit64", answer_target },
	{ __NR_prctl, "prctl", answer_inside },
	{ __NR_chdir, "chdir", answer_folder },
	{ __NR_fchdir, "fchdir", answer_folder },
	{ __NR_mkdirat, "mkdirat", answer_write },
	{ __NR_mknodat, "mknodat", answer_write },
	{ __NR_renameat2, "renameat2", answer_write },
	{ __NR_renameat, "renameat", answer_write },
	{ __NR_linkat, "linkat", answer_write },
	{ __NR_symlinkat, "symlinkat", answer_write },
	{ __NR_truncate, "truncate", answer_write },
	{ __NR_unlinkat, "unlinkat", answer_write },
	{ __NR_fchmodat, "fchmodat", answer_mode },
	{ __NR_fchownat, "fchownat", answer_write },
	{ __NR_utimensat, "utimensat", answer_write },
	{ __NR_setxattr, "setxattr", answer_write },
	{ __NR_lsetxattr, "lsetxattr", answer_write },
	{ __NR_setxattrat, "setxattrat", answer_write },
	{ __NR_removexattr, "removexattr", answer_write },
	{ __NR_lremovexattr, "lremovexattr", answer_write },
	{ __NR_removexattrat, "removexattrat", answer_write },
	{ __NR_file_setattr, "file_setattr", answer_write },
	{ __NR_fchmodat2, "fchmodat2", answer_mode },
	{ __NR_fchmod, "fchmod", answer_mode },
	{ __NR_fchown, "fchown", answer_write },
	{ __NR_fsetxattr, "fsetxattr", answer_write },
	{ __NR_fremovexattr, "fremovexattr", answer_write },
#ifdef __NR_open
	{ __NR_open, "open", answer_open },
	{ __NR_creat, "creat", answer_write },
	{ __NR_mkdir, "mkdir", answer_write },
	{ __NR_mknod, "mknod", answer_write },
	{ __NR_rename, "rename", answer_write },
	{ __NR_link, "link", answer_write },
	{ __NR_symlink, "symlink", answer_write },
	{ __NR_unlink, "unlink", answer_write },
	{ __NR_rmdir, "rmdir", answer_write },
	{ __NR_chmod, "chmod", answer_mode },
	{ __NR_chown, "chown", answer_write },
	{ __NR_lchown, "lchown", answer_write },
	{ __NR_utime, "utime", answer_write },
	{ __NR_utimes, "utimes", answer_write },
	{ __NR_futimesat, "futimesat", answer_write },
#endif
};

int open_watch(struct watch *watch, pid_t command)
{
	char path[64];

	remember_start();
	watch->command = command;
	int error = arrange_deny_rules(watch->options->deny, &watch->deny);
	if (!error)
		error = arrange_prefix_rules(watch->options->rules, &watch->rules);
	if (!error)
		error = look_at_programs(watch->options->known_names, watch->options->known_programs, &watch->known);
	if (!error)
		error = keep_script(watch->options);
	if (error)
		return error;
	/* Without this flag each notification costs a wake-up on another processor. Linux 6.6 and later have it. Earlier
	 * kernels are only slower. */
	(void)ioctl(watch->listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);

	snprintf(path, sizeof(path), "/proc/%d/root", command);
	watch->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return watch->root < 0 ? -errno : 0;
}

bool still_waits(const struct call *call)
{
	uint64_t id = call->id;

	return ioctl(call->watch->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

/* While the task waits, no other task can have its number. */
void kill_task(const struct call *call)
{
	pid_t process = process_of(call->task.pid);
	int descriptor = process < 0 ? -1 : (int)syscall(__NR_pidfd_open, process, 0);

	if (descriptor < 0)
		return;
	if (still_waits(call))
		(void)syscall(__NR_pidfd_send_signal, descriptor, SIGKILL, NULL, 0);
	close(descriptor);
}

void answer(const struct watch *watch, uint64_t id, int result)
{
	struct seccomp_notif_resp response = {
		.id = id,
		.error = result < 0 ? result : 0,
		.flags = result == CONTINUE ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0,
	};

	/* ENOENT: the task was killed meanwhile. */
	(void)ioctl(watch->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

int give_descriptor(const struct call *call, int fd, uint64_t flags)
{
	struct seccomp_notif_addfd added = {
		.id = call->id,
		.flags = SECCOMP_ADDFD_FLAG_SEND,
		.srcfd = (__u32)fd,
		.newfd_flags = (__u32)(flags & O_CLOEXEC),
	};
	int result = ioctl(call->watch->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &added);
	int error = errno;

	close(fd);
	return result >= 0 || error == ENOENT ? ANSWERED : -error;
}

int receive_notification(const struct watch *watch, struct seccomp_notif *notification)
{
	memset(notification, 0, sizeof(*notification));
	if (ioctl(watch->listener, SECCOMP_IOCTL_NOTIF_RECV, notification) == 0)
		return 0;
	/* ENOENT: the task was killed meanwhile, or none is left. */
	return errno == ENOENT || errno == EINTR ? -EAGAIN : -errno;
}

void answer_notification(const struct watch *watch, const struct seccomp_notif *notification, struct exec_room *room)
{
	struct call call = {
		.watch = watch,
		.task = { (pid_t)notification->pid, watch->root, watch->options->report != REPORT_MINIMAL },
		.data = &notification->data,
		.id = notification->id,
		.room = room,
	};
	/* If the filter notifies a number that this table lacks, that is a bug: refuse it. */
	int result = -EPERM;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (table[i].nr == notification->data.nr) {
			call.name = table[i].name;
			result = table[i].judge(&call);
			break;
		}
	}
	if (result != ANSWERED)
		answer(watch, notification->id, result);
}
