#define _GNU_SOURCE
#include "tree/kill_tree.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/kernel_abi.h"
#include "base/clock.h"
#include "tree/first_process.h"
#include "tree/tree.h"

static bool reap_until_none(void)
{
	for (;;) {
		pid_t pid = waitpid(-1, NULL, WNOHANG | __WALL);
		if (pid < 0 && errno == ECHILD)
			return true;
		if (pid == 0 || (pid < 0 && errno != EINTR))
			return false;
	}
}

/* For processes that fork and exit faster than they can be killed. With the real-time scheduler (root) nothing interrupts the
 * killer on its processor, and the processes have one processor less. The kernel refuses it to other users: then the kill is only
 * slower. */
static void hurry(void)
{
	struct sched_param priority = { .sched_priority = 1 };

	(void)sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority);
}

#define WAITING_MS 2000
#define FIRST_ENDS_MS 100

/* In the last round, a process was neither dead nor in an uninterruptible wait. */
static bool one_runs;

/* A direct child is not reaped yet, so no other process has its number. The parent of any other descendant may reap it, and its
 * number may be reused. So a descriptor refers to it, and it is checked once more. */
static void kill_one(pid_t pid, pid_t parent)
{
	/* A process that cannot fork dies out. The limit binds all users but root. */
	const struct rlimit none = { 0, 0 };
	const char state = state_of(pid);

	one_runs = one_runs || (state != 'D' && state != 'Z');

	if (parent == getpid()) {
		(void)prlimit(pid, RLIMIT_NPROC, &none, NULL);
		kill(pid, SIGKILL);
		return;
	}
	int descriptor = (int)syscall(__NR_pidfd_open, pid, 0);
	if (descriptor < 0)
		return;
	pid_t now = parent_of(pid);
	if (now == parent || is_root_of_tree(now))
		(void)syscall(__NR_pidfd_send_signal, descriptor, SIGKILL, NULL, 0);
	close(descriptor);
}

/* Kills from the top down, each process before its children are listed. With SIGKILL pending a fork fails (kernel/fork.c,
 * copy_process), so the list is complete. If only the launcher's direct children were killed, the others could fork until the
 * kernel schedules the killed ones once more. With a fork bomb on a busy machine that is for ever. */
int kill_tree(unsigned limit_ms)
{
	uint64_t now = milliseconds(CLOCK_MONOTONIC), ran_at = now;
	const uint64_t deadline = now + limit_ms;
	int killed = first_process() ? walk_tree(NULL) : 0;

	/* The kernel ends all processes of its namespace with it, even if they fork fast. */
	kill_first();
	if (killed == 0)
		wait_for_first(FIRST_ENDS_MS);
	for (int round = 0; !reap_until_none(); round++) {
		if (round == 2)
			hurry();
		one_runs = false;
		int count = walk_tree(kill_one);
		now = milliseconds(CLOCK_MONOTONIC);
		if (one_runs)
			ran_at = now;
		if (count > killed)
			killed = count;
		/* Processes that wait for a file system that never answers do not end. */
		if (now > deadline || now - ran_at > WAITING_MS)
			return count < 0 ? count : -ETIMEDOUT;
		/* Give a few killed processes a moment to die. After many, the next round starts at once. */
		if (count < 16)
			nanosleep(&(struct timespec){ 0, 200000 }, NULL);
	}
	return killed;
}
