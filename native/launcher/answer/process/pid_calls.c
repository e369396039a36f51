/* Calls that act on another process by its number: allowed only on processes of the run. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel_abi.h"
#include "supervise/notify.h"
#include "tree/signal_tree.h"
#include "tree/tree.h"
#include "report/violations.h"

static bool is_scheduling(int nr)
{
	return nr == __NR_setpriority || nr == __NR_ioprio_set || nr == __NR_sched_setaffinity ||
	       nr == __NR_sched_setscheduler || nr == __NR_sched_setparam || nr == __NR_sched_setattr;
}

static int refuse_target(const struct call *call, const char *target)
{
	return refuse(call, "control", is_scheduling(call->data->nr) ? "scheduling" : "signal", target, -EPERM);
}

/* The numbers are in registers: the kernel uses the same values that are checked here. The supervisor refuses a number that no
 * process has: a process outside could get the number before the kernel's check. A process of the tree may end, and its number may
 * be reused, in that moment. This cannot be excluded. */
static int answer_process(const struct call *call, pid_t pid)
{
	char target[32];

	if (parent_of(pid) < 0)
		return -ESRCH;
	if (tree_has(pid))
		return CONTINUE;
	snprintf(target, sizeof(target), "process %d", pid);
	return still_waits(call) ? refuse_target(call, target) : CONTINUE;
}

/* ion and the launcher are in the command's own process group, so that a terminal's Ctrl-C reaches all of them. A signal to
 * that group is sent here, to the members that belong to the tree. Another group belongs to the run if its leader does. */
static int answer_group(const struct call *call, pid_t group, int signal)
{
	char target[32];

	if (group == getpgrp())
		return signal_group(group, signal);
	if (tree_has(group))
		return CONTINUE;
	snprintf(target, sizeof(target), "process group %d", group);
	return still_waits(call) ? refuse_target(call, target) : CONTINUE;
}

/* Whether a process of another group in this session is the parent of a process in ion's group, as a shell with job control
 * is. Such a group is not orphaned when one of its processes ends. */
static bool own_group_is_held(void)
{
	pid_t pid = getpid();

	while (pid > 0 && getpgid(pid) == getpgrp())
		pid = parent_of(pid);
	return pid > 0 && getsid(pid) == getsid(0);
}

/* A process may end whose parent is in another group, and it may be the last such process of its group. If one of the group is
 * stopped, the kernel sends SIGHUP and SIGCONT to the group (Linux: kernel/exit.c, kill_orphaned_pgrp): here to ion, and to other
 * processes outside that share its group. So every process of the group must have its parent in the group. A process cannot leave
 * the group if it has a child or grandchild there: it could become the parent of either (PR_SET_CHILD_SUBREAPER). A process cannot
 * enter the group if its parent is elsewhere. */
static bool splits_own_group(pid_t pid, pid_t group)
{
	pid_t now = getpgid(pid);

	if (now == group || (now != getpgrp() && group != getpgrp()))
		return false;
	bool splits = group == getpgrp() ? getpgid(parent_of(pid)) != group : has_descendant_in(pid, now);
	return splits && !own_group_is_held();
}

#define ANOTHER_GROUP (-1)

/* Replaces the numbers of setpgid(2) by the launcher's. In a PID namespace no number means a group outside, ion's own included.
 * The first process of a group may have ended: then the group is one of the run that cannot be found. */
static bool join_inside(const struct call *call, pid_t *pid, pid_t *group)
{
	const bool inside = call->watch->options->own_processes;
	const pid_t wanted = *group == *pid ? 0 : *group;

	if (*pid == 0)
		*pid = process_of(call->task.pid);
	else if (inside)
		*pid = number_outside(call->task.pid, *pid);
	if (wanted == 0)
		*group = *pid;
	else if (inside && (*group = number_outside(call->task.pid, wanted)) < 0)
		*group = ANOTHER_GROUP;
	return inside;
}

/* setpgid(2): a process may only enter a new process group, or one of the run. */
static int answer_joining(const struct call *call, pid_t pid, pid_t group)
{
	char target[32];

	bool own = join_inside(call, &pid, &group) || group == pid || group == getpgrp() || signal_group(group, 0) == 0;
	if (pid < 0)
		return -ESRCH;
	if (own && !splits_own_group(pid, group))
		return CONTINUE;
	snprintf(target, sizeof(target), "process group %d", own ? getpgrp() : group);
	return still_waits(call) ? refuse_target(call, target) : CONTINUE;
}

#define EVERY_PROCESS (-1)

static int answer_number(const struct call *call, pid_t pid, int signal)
{
	if (pid == EVERY_PROCESS)
		return signal_others(process_of(call->task.pid), signal);
	if (pid == 0) {
		pid_t group = getpgid(call->task.pid);
		return group < 0 ? -ESRCH : answer_group(call, group, signal);
	}
	return pid > 0 ? answer_process(call, pid) : answer_group(call, -pid, signal);
}

/* The process behind a pidfd. A folder of /proc can be one too. */
static pid_t process_of_descriptor(pid_t task, int fd)
{
	char path[64], text[512];
	pid_t pid;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", task, fd);
	ssize_t length = readlink(path, text, sizeof(text) - 1);
	text[length > 0 ? length : 0] = '\0';
	if (sscanf(text, "/proc/%d", &pid) == 1)
		return pid;
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", task, fd);
	int info = open(path, O_RDONLY | O_CLOEXEC);
	if (info < 0)
		return -errno;
	length = read(info, text, sizeof(text) - 1);
	close(info);
	text[length > 0 ? length : 0] = '\0';
	const char *line = strstr(text, "\nPid:");
	return line ? (pid_t)strtol(line + 5, NULL, 10) : -EBADF;
}

/* A terminal in this mode signals its foreground process group. Another thread can replace the checked descriptor with one of a
 * terminal. Then the signal reaches the launcher, which ignores SIGIO. */
static int answer_async(const struct call *call)
{
	char link[64], text[8];

	snprintf(link, sizeof(link), "/proc/%d/fd/%d", call->task.pid, (int)call->data->args[0]);
	if (readlink(link, text, sizeof(text)) < 0)
		return -EBADF;
	return *text == '/' && still_waits(call) ? refuse_target(call, "process group of a terminal") : CONTINUE;
}

/* While the task waits, its number is its own. The limits of another process of the run stay refused: that one may end, and its
 * number go to a process outside. */
static int answer_limits(const struct call *call, pid_t pid)
{
	return pid == call->task.pid || pid == process_of(call->task.pid) ? CONTINUE : -EPERM;
}

/* PIDFD_SELF_THREAD and PIDFD_SELF_THREAD_GROUP, Linux 6.14. */
#define SELF_THREAD (-10000)
#define SELF_PROCESS (-10001)

/* In a PID namespace numbers mean only processes of the run. The remaining case is a signal to the caller's own group, which
 * contains ion and the launcher. */
static bool stays_inside(const struct call *call)
{
	const int nr = call->data->nr;

	return call->watch->options->own_processes && nr != __NR_setpgid && nr != __NR_ioctl &&
	       (nr != __NR_kill || (pid_t)call->data->args[0] != 0);
}

int answer_target(const struct call *call)
{
	const __u64 *args = call->data->args;

	if (stays_inside(call))
		return CONTINUE;
	switch (call->data->nr) {
	case __NR_kill: return answer_number(call, (pid_t)args[0], (int)args[1]);
	case __NR_fcntl: /* F_SETOWN: 0 means no process. A group would get the signal later, when it is no longer checked */
		if ((pid_t)args[2] == 0)
			return CONTINUE;
		return (pid_t)args[2] < 0 ? refuse_target(call, "process group") : answer_process(call, (pid_t)args[2]);
	case __NR_pidfd_send_signal: {
		if ((int)args[0] == SELF_THREAD || (int)args[0] == SELF_PROCESS)
			return CONTINUE;
		pid_t pid = process_of_descriptor(call->task.pid, (int)args[0]);
		return pid > 0 ? answer_process(call, pid) : -EBADF;
	}
	case __NR_ioctl: return answer_async(call);
	case __NR_prlimit64: return answer_limits(call, (pid_t)args[0]);
	case __NR_setpgid: return answer_joining(call, (pid_t)args[0], (pid_t)args[1]);
	case __NR_setpriority:
	case __NR_ioprio_set: return answer_process(call, (pid_t)args[1]);
	default: return (pid_t)args[0] > 0 ? answer_process(call, (pid_t)args[0]) : -EINVAL;
	}
}
