#define _GNU_SOURCE
#include "supervise/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel_abi.h"
#include "answer/exec/recheck.h"
#include "answer/files/made_files.h"

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

static int judge_ioctl(const struct call *call)
{
	return (unsigned)call->data->args[1] == FIOASYNC ? judge_target(call) : judge_write(call);
}

static int judge_fcntl(const struct call *call)
{
	return (unsigned)call->data->args[1] == F_SETFL ? judge_flags(call) : judge_target(call);
}

static int judge_mode(const struct call *call)
{
	const bool by_folder = call->data->nr == __NR_fchmodat || call->data->nr == __NR_fchmodat2;

	return call->data->args[by_folder ? 2 : 1] & S_ISGID ? judge_set_group_id(call) : judge_write(call);
}

static const struct {
	int nr;
	const char *name;
	int (*judge)(const struct call *);
} table[] = {
	{ __NR_openat, "openat", judge_write },
	{ __NR_execve, "execve", judge_exec },
	{ __NR_execveat, "execveat", judge_exec },
#ifdef __NR_arch_prctl
	{ __NR_arch_prctl, "arch_prctl", judge_image },
#else
	{ __NR_set_tid_address, "set_tid_address", judge_image },
	{ __NR_sched_getaffinity, "sched_getaffinity", judge_image },
#endif
	{ __NR_connect, "connect", judge_connect },
	{ __NR_bind, "bind", judge_bind },
	{ __NR_listen, "listen", judge_listen },
	{ __NR_shutdown, "shutdown", judge_shutdown },
	{ __NR_sendto, "sendto", judge_send },
	{ __NR_sendmsg, "sendmsg", judge_send },
	{ __NR_sendmmsg, "sendmmsg", judge_send },
	{ __NR_ioctl, "ioctl", judge_ioctl },
	{ __NR_fcntl, "fcntl", judge_fcntl },
	{ __NR_ftruncate, "ftruncate", judge_ftruncate },
	{ __NR_kill, "kill", judge_target },
	{ __NR_tkill, "tkill", judge_target },
	{ __NR_tgkill, "tgkill", judge_target },
	{ __NR_rt_sigqueueinfo, "rt_sigqueueinfo", judge_target },
	{ __NR_rt_tgsigqueueinfo, "rt_tgsigqueueinfo", judge_target },
	{ __NR_pidfd_send_signal, "pidfd_send_signal", judge_target },
	{ __NR_sched_setaffinity, "sched_setaffinity", judge_target },
	{ __NR_sched_setscheduler, "sched_setscheduler", judge_target },
	{ __NR_sched_setparam, "sched_setparam", judge_target },
	{ __NR_sched_setattr, "sched_setattr", judge_target },
	{ __NR_setpriority, "setpriority", judge_target },
	{ __NR_ioprio_set, "ioprio_set", judge_target },
	{ __NR_setpgid, "setpgid", judge_target },
	{ __NR_mkdirat, "mkdirat", judge_write },
	{ __NR_mknodat, "mknodat", judge_write },
	{ __NR_renameat2, "renameat2", judge_write },
	{ __NR_renameat, "renameat", judge_write },
	{ __NR_linkat, "linkat", judge_write },
	{ __NR_symlinkat, "symlinkat", judge_write },
	{ __NR_truncate, "truncate", judge_write },
	{ __NR_unlinkat, "unlinkat", judge_write },
	{ __NR_fchmodat, "fchmodat", judge_mode },
	{ __NR_fchownat, "fchownat", judge_write },
	{ __NR_utimensat, "utimensat", judge_write },
	{ __NR_setxattr, "setxattr", judge_write },
	{ __NR_lsetxattr, "lsetxattr", judge_write },
	{ __NR_setxattrat, "setxattrat", judge_write },
	{ __NR_removexattr, "removexattr", judge_write },
	{ __NR_lremovexattr, "lremovexattr", judge_write },
	{ __NR_removexattrat, "removexattrat", judge_write },
	{ __NR_file_setattr, "file_setattr", judge_write },
	{ __NR_fchmodat2, "fchmodat2", judge_mode },
	{ __NR_fchmod, "fchmod", judge_mode },
	{ __NR_fchown, "fchown", judge_write },
	{ __NR_fsetxattr, "fsetxattr", judge_write },
	{ __NR_fremovexattr, "fremovexattr", judge_write },
#ifdef __NR_open
	{ __NR_open, "open", judge_write },
	{ __NR_creat, "creat", judge_write },
	{ __NR_mkdir, "mkdir", judge_write },
	{ __NR_mknod, "mknod", judge_write },
	{ __NR_rename, "rename", judge_write },
	{ __NR_link, "link", judge_write },
	{ __NR_symlink, "symlink", judge_write },
	{ __NR_unlink, "unlink", judge_write },
	{ __NR_rmdir, "rmdir", judge_write },
	{ __NR_chmod, "chmod", judge_mode },
	{ __NR_chown, "chown", judge_write },
	{ __NR_lchown, "lchown", judge_write },
	{ __NR_utime, "utime", judge_write },
	{ __NR_utimes, "utimes", judge_write },
	{ __NR_futimesat, "futimesat", judge_write },
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
	if (error)
		return error;
	/* Without it each notification costs a wake-up on another processor. Linux 6.6; before, only slower. */
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

void answer(const struct watch *watch, uint64_t id, int result)
{
	struct seccomp_notif_resp response = {
		.id = id,
		.error = result < 0 ? result : 0,
		.flags = result == CONTINUE ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0,
	};

	/* ENOENT: the caller was killed meanwhile. */
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

int serve_notification(const struct watch *watch)
{
	struct seccomp_notif notification;

	memset(&notification, 0, sizeof(notification));
	if (ioctl(watch->listener, SECCOMP_IOCTL_NOTIF_RECV, &notification) < 0)
		return errno == ENOENT || errno == EINTR ? 0 : -errno;

	struct call call = {
		.watch = watch,
		.caller = { (pid_t)notification.pid, watch->root },
		.data = &notification.data,
		.id = notification.id,
	};
	/* A number that the filter notifies and this table lacks is a bug: refuse it. */
	int result = -EPERM;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (table[i].nr == notification.data.nr) {
			call.name = table[i].name;
			result = table[i].judge(&call);
			break;
		}
	}
	if (result != ANSWERED)
		answer(watch, notification.id, result);
	return 0;
}
