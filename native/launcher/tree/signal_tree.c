#define _GNU_SOURCE
#include "tree/signal_tree.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel_abi.h"
#include "tree/tree.h"

static int send_to(int descriptor, int signal)
{
	return syscall(__NR_pidfd_send_signal, descriptor, signal, NULL, 0) < 0 ? -errno : 0;
}

static int open_process(pid_t pid)
{
	int descriptor = (int)syscall(__NR_pidfd_open, pid, 0);

	return descriptor < 0 ? -errno : descriptor;
}

int signal_process(pid_t pid, int signal)
{
	int descriptor = open_process(pid);

	if (descriptor < 0)
		return descriptor;
	int error = tree_has(pid) ? send_to(descriptor, signal) : -ESRCH;
	close(descriptor);
	return error;
}

void signal_ion(pid_t ion, int signal)
{
	int descriptor = open_process(ion);

	if (descriptor < 0)
		return;
	if (getppid() == ion)
		(void)send_to(descriptor, signal);
	close(descriptor);
}

static void send_one(pid_t pid, void *argument)
{
	(void)signal_process(pid, *(const int *)argument);
}

int signal_tree(int signal)
{
	return visit_tree(send_one, &signal);
}

struct to_others {
	pid_t sender;
	int signal, result;
};

static void send_to_other(pid_t pid, void *argument)
{
	struct to_others *wanted = argument;

	if (pid != wanted->sender && signal_process(pid, wanted->signal) == 0)
		wanted->result = 0;
}

int signal_others(pid_t sender, int signal)
{
	struct to_others wanted = { sender, signal, -ESRCH };
	int error = visit_tree(send_to_other, &wanted);

	return error ? error : wanted.result;
}

struct to_group {
	pid_t group;
	int signal, result;
};

static void send_to_member(pid_t pid, void *argument)
{
	struct to_group *wanted = argument;
	int descriptor = getpgid(pid) == wanted->group ? open_process(pid) : -ESRCH;

	if (descriptor < 0)
		return;
	bool member = getpgid(pid) == wanted->group && tree_has(pid);
	int error = member ? send_to(descriptor, wanted->signal) : wanted->result;
	/* Succeeds, like kill(2), if one process of the group got the signal. */
	if (wanted->result != 0)
		wanted->result = error;
	close(descriptor);
}

int signal_group(pid_t group, int signal)
{
	struct to_group wanted = { group, signal, -ESRCH };
	int error = visit_tree(send_to_member, &wanted);

	return error ? error : wanted.result;
}
