#define _GNU_SOURCE
#include "tree/first_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel_abi.h"

/* It is set before the first thread starts. */
static struct {
	pid_t pid;
	int descriptor;
} first = { 0, -1 };

void begin_tree(pid_t pid)
{
	first.pid = pid;
	first.descriptor = pid ? (int)syscall(__NR_pidfd_open, pid, 0) : -1;
}

pid_t first_process(void)
{
	return first.pid;
}

bool is_root_of_tree(pid_t pid)
{
	return pid == getpid() || (first.pid && pid == first.pid);
}

static void signal_first(int signal)
{
	if (first.descriptor >= 0)
		(void)syscall(__NR_pidfd_send_signal, first.descriptor, signal, NULL, 0);
}

void ask_first_to_end(void)
{
	signal_first(SIGTERM);
}

void kill_first(void)
{
	signal_first(SIGKILL);
}

void wait_for_first(int limit_ms)
{
	struct pollfd wait = { .fd = first.descriptor, .events = POLLIN };

	if (first.descriptor >= 0)
		(void)poll(&wait, 1, limit_ms);
}
