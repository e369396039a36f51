#define _GNU_SOURCE
#include "confine/pid_namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/kernel_abi.h"
#include "confine/confine.h"

#define LOWEST_NUMBER 300 /* as the kernel's RESERVED_PIDS */

bool has_ended(int pidfd)
{
	struct pollfd wait = { .fd = pidfd, .events = POLLIN };

	/* An ending process sends the parent-death signals first, and is seen as ended a moment later, under the same lock. This
	 * call takes the lock: a process that asked for the signal too late sees the end. */
	(void)waitid(P_ALL, 0, &(siginfo_t){ 0 }, WEXITED | WNOHANG | WNOWAIT);
	return poll(&wait, 1, 0) != 0;
}

/* The command must not reach anything through this process: it is not dumpable, and has neither capabilities nor descriptors. */
static bool give_up_all(int launcher)
{
	/* The name that ps(1) and top(1) show. */
	if (prctl(PR_SET_NAME, "ion") < 0 || drop_capabilities(true) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || has_ended(launcher))
		return false;
	return close_descriptors_from(0) == 0;
}

/* Process 1 of the namespace. It ends when the launcher does. When the launcher asks (SIGTERM), it ends as soon as it has no
 * children: then no process of the run is left but the command. A process inside has a number in the namespace, and the launcher
 * has none. */
static void be_first(int launcher) __attribute__((noreturn));
static void be_first(int launcher)
{
	bool asked = false;
	sigset_t all;

	/* Blocked signals are not ignored, although the kernel keeps most signals from a process 1. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	if (!give_up_all(launcher))
		_exit(125);
	for (;;) {
		siginfo_t info = { 0 };
		pid_t ended;
		while ((ended = waitpid(-1, NULL, WNOHANG | __WALL)) > 0)
			;
		if (asked && ended < 0 && errno == ECHILD)
			_exit(0);
		if (sigwaitinfo(&all, &info) == SIGTERM && info.si_code == SI_USER && info.si_pid == 0)
			asked = true;
	}
}

static long read_number(const char *path)
{
	char text[24] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return length > 0 ? strtol(text, NULL, 10) : 0;
}

/* Two runs share /tmp, and programs make names and lock files from their numbers there. Numbers from 2 on would meet. */
static pid_t choose_number(void)
{
	long most = read_number("/proc/sys/kernel/pid_max");
	uint32_t random;

	if (most <= 2 * LOWEST_NUMBER || getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		return 0;
	return (pid_t)(LOWEST_NUMBER + random % (uint32_t)(most - 2 * LOWEST_NUMBER));
}

static void count_from(pid_t number)
{
	char text[16];
	int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	int length = snprintf(text, sizeof(text), "%d", number);
	(void)!write(fd, text, (size_t)length);
	close(fd);
}

/* Where the kernel has no such call or option, the command gets the next number, which is 2. */
static pid_t start_command(unsigned flags)
{
	pid_t number = choose_number();
	struct clone_args arguments = {
		.flags = flags,
		.exit_signal = flags & CLONE_PARENT ? 0 : SIGCHLD,
		.set_tid = (uintptr_t)&number,
		.set_tid_size = 1,
	};
	long pid = number ? syscall(__NR_clone3, &arguments, sizeof(arguments)) : -1;

	if (pid < 0)
		pid = syscall(__NR_clone, flags | SIGCHLD, 0, 0, 0, 0);
	if (pid == 0 && number)
		count_from(number);
	return pid < 0 ? -errno : (pid_t)pid;
}

pid_t start_first(int launcher)
{
	/* It has its own descriptor table, unlike the others, because it closes all descriptors. */
	long first = syscall(__NR_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);

	if (first == 0)
		be_first(launcher);
	return first < 0 ? -errno : (pid_t)first;
}

int become_command(struct run_processes *processes, int launcher)
{
	if (!processes->first) {
		pid_t first = start_first(launcher);
		if (first < 0)
			return first;
		processes->first = first;
	}
	pid_t command = start_command(CLONE_PARENT | CLONE_FILES);
	if (command <= 0)
		return command;
	processes->command = command;
	_exit(0);
}

pid_t start_command_in(int namespace, int outside)
{
	if (setns(namespace, CLONE_NEWPID) < 0)
		return -errno;
	pid_t command = start_command(CLONE_FILES);
	/* Threads that the launcher starts later belong to this namespace again. */
	if (command == 0 || setns(outside, CLONE_NEWPID) == 0)
		return command;
	int error = -errno;
	if (command > 0 && kill(command, SIGKILL) == 0)
		(void)waitpid(command, NULL, 0);
	return error;
}
