#define _GNU_SOURCE
#include "tree/left_behind.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "confine/given_streams.h"
#include "tree/signal_tree.h"
#include "tree/tree.h"
#include "limits/tree_usage.h"

/* After this time a process that the command has just forked has its streams, and one that has just ended is gone. */
#define ASK_AFTER_MS 100
/* The wait is limited: an idle reader, and any reader after some time, gets the signal to end like the others. */
#define STILL_MS 1000
#define READERS_MS 10000

struct look {
	int signal; /* for those that are no readers, or 0 */
	int others;
	struct readers readers;
};

/* Opens the standard input of a process if it is a pipe, but not a pipe that the run was started with: a daemon may hold that
 * one without reading it. Uses the descriptor that was checked. The process could have put a device under the same number
 * meanwhile, and opening a device has effects. */
static int open_pipe(pid_t pid)
{
	char path[64];
	struct stat info;

	snprintf(path, sizeof(path), "/proc/%d/fd/0", pid);
	int found = open(path, O_PATH | O_CLOEXEC);
	if (found < 0)
		return -1;
	bool is_pipe = fstat(found, &info) == 0 && S_ISFIFO(info.st_mode) && !was_given(&info);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
	int pipe = is_pipe ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
	close(found);
	return pipe;
}

static bool reads_pipe(pid_t pid, uint64_t *waiting_bytes)
{
	int waiting = 0;
	int pipe = open_pipe(pid);

	if (pipe < 0)
		return false;
	(void)ioctl(pipe, FIONREAD, &waiting);
	close(pipe);
	*waiting_bytes += (uint64_t)waiting;
	return true;
}

static void look_at(pid_t pid, void *argument)
{
	struct look *look = argument;

	if (reads_pipe(pid, &look->readers.waiting_bytes)) {
		look->readers.count++;
		look->readers.cpu_us += cpu_us_of(pid);
		return;
	}
	look->others++;
	if (look->signal)
		(void)signal_process(pid, look->signal);
}

static struct look look_at_tree(int signal)
{
	struct look look = { .signal = signal };

	(void)visit_tree(look_at, &look);
	return look;
}

static bool stand_still(const struct readers *before, const struct readers *now)
{
	return before->count == now->count && before->waiting_bytes == now->waiting_bytes && before->cpu_us == now->cpu_us;
}

bool look_at_left_behind(struct left_behind *left, uint64_t now)
{
	if (!left->since)
		left->since = now;
	bool asks = !left->others_asked;
	if (asks && now - left->since < ASK_AFTER_MS)
		return true;
	struct look look = look_at_tree(asks ? SIGTERM : 0);
	if (asks) {
		left->others_asked = true;
		left->asked = look.others;
		signal_tree(SIGCONT);
	}
	if (look.readers.count == 0)
		return false;
	if (asks || !stand_still(&left->readers, &look.readers))
		left->still_since = now;
	left->readers = look.readers;
	if (now - left->still_since < STILL_MS && now - left->since < READERS_MS)
		return true;
	left->asked += look.readers.count;
	signal_tree(SIGTERM);
	signal_tree(SIGCONT);
	return false;
}
