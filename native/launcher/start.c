/* How the launcher starts the child: in a cgroup, in a PID namespace. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/kernel_abi.h"
#include "child.h"

/* Starts it in its group: moving a process would wait for every fork on the machine to end. Otherwise this is fork(2). */
static pid_t start_in_cgroup(struct launch *launch)
{
	struct clone_args arguments = {
		.flags = CLONE_FILES | ION_CLONE_INTO_CGROUP,
		.exit_signal = SIGCHLD,
		.cgroup = (uint64_t)launch->cgroup.folder,
	};

	long pid = syscall(__NR_clone3, &arguments, sizeof(arguments));
	if (pid == 0)
		_exit(confine_and_execute(launch));
	return pid < 0 ? -errno : (pid_t)pid;
}

static pid_t start_child(struct launch *launch)
{
	if (launch->cgroup.folder >= 0) {
		pid_t pid = start_in_cgroup(launch);
		/* Before Linux 5.7, and where a filter answers for clone3. */
		if (pid != -ENOSYS && pid != -EINVAL && pid != -E2BIG)
			return pid;
		launch->joins = true;
	}
	/* The child has its own copy of this stack, as with fork(2). */
	long pid = syscall(__NR_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
	if (pid == 0)
		_exit(confine_and_execute(launch));
	return pid < 0 ? -errno : (pid_t)pid;
}

/* The process that was started exits when it has started the others. The launcher has nothing to do until then. */
static int wait_for_starter(pid_t starter)
{
	int status;

	while (waitpid(starter, &status, __WALL) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ECHILD;
}

/* A process enters a PID namespace only by being started in it. If the launcher may do that, it needs no separate starter. The
 * starter first waits for the relay. */
static bool starts_inside(const struct launch *launch)
{
	return launch->namespaces.outside >= 0 && launch->cgroup.folder < 0 && !launch->options.relay;
}

static pid_t start_inside(struct launch *launch)
{
	launch->started_inside = true;
	pid_t pid = start_command_in(launch->namespaces.processes, launch->namespaces.outside);
	if (pid == 0)
		_exit(confine_and_execute(launch));
	return pid;
}

static int start_by_starter(struct launch *launch)
{
	/* The starter writes there. */
	struct run_processes *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return -errno;
	*shared = *launch->processes;
	launch->processes = shared;
	pid_t starter = start_child(launch);
	return starter < 0 ? starter : wait_for_starter(starter);
}

int start(struct launch *launch)
{
	static struct run_processes processes;
	int error = 0;

	keep_fitting_namespaces(&launch->options, &launch->namespaces);
	processes.first = launch->namespaces.first;
	launch->namespaces.first = 0;
	launch->processes = &processes;
	launch->self = launch->options.own_processes ? (int)syscall(__NR_pidfd_open, getpid(), 0) : -1;
	if (launch->options.own_processes && launch->self < 0)
		return -errno;
	if (launch->options.own_processes && !starts_inside(launch)) {
		error = start_by_starter(launch);
	} else {
		pid_t command = launch->options.own_processes ? start_inside(launch) : start_child(launch);
		processes.command = command;
		error = command < 0 ? command : 0;
	}
	/* The child closes the other descriptors, because both processes have the same. */
	if (launch->namespaces.outside >= 0)
		close(launch->namespaces.outside);
	launch->namespaces = (struct namespaces)NO_NAMESPACES;
	return error ? error : count_started(&launch->options, &launch->cgroup);
}
