#define _GNU_SOURCE
#include "tree/hold_tree.h"

#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "tree/signal_tree.h"
#include "tree/tree.h"

#define HOLD_ROUNDS 200
/* A thread in an uninterruptible wait stops before it is in its program again. A read of a disk is over soon, a vfork(2) may not be. */
#define ROUNDS_TO_WAIT 40

struct look {
	unsigned running, waiting;
	uint64_t runs; /* a sum over the threads: how often each has run */
	bool stops;
};

/* Of a line of /proc/PID/status, which escapes line ends. */
static const char *value_of(const char *status, const char *name)
{
	const char *at = strstr(status, name);

	return at ? at + strlen(name) : NULL;
}

static bool look_at_thread(pid_t pid, const char *tid, struct look *look)
{
	char path[64], status[8192], thread[96];

	snprintf(path, sizeof(path), "/proc/%d/task/%s/status", pid, tid);
	if (read_small_file(path, status, sizeof(status)) <= 0)
		return false; /* it has ended */
	const char *state = value_of(status, "\nState:\t");
	const char *left = value_of(status, "\nvoluntary_ctxt_switches:\t");
	const char *taken = value_of(status, "\nnonvoluntary_ctxt_switches:\t");
	if (!state || !left || !taken) {
		look->running++;
		return true;
	}
	if (*state == 'Z' || *state == 'X')
		return false;
	snprintf(thread, sizeof(thread), "%s %lu", tid, strtoul(left, NULL, 10) + strtoul(taken, NULL, 10));
	look->runs += hash_text(hash_key(), thread);
	look->waiting += *state == 'D';
	if (*state == 'T' || *state == 't' || *state == 'D')
		return *state == 'D';
	look->running++;
	return true;
}

/* Thread by thread: a tracer can stop one of them alone. */
static void look_at_process(pid_t pid, void *argument)
{
	struct look *look = argument;
	char path[64];
	bool runs = false;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *tasks = opendir(path);
	if (!tasks)
		return;
	for (struct dirent *task; (task = readdir(tasks));)
		if (task->d_name[0] != '.' && look_at_thread(pid, task->d_name, look))
			runs = true;
	closedir(tasks);
	if (runs && look->stops)
		(void)signal_process(pid, SIGSTOP);
}

static uint64_t runs_when_held;

bool hold_tree(void)
{
	for (unsigned round = 0; round < HOLD_ROUNDS; round++) {
		struct look look = { .stops = true };
		if (visit_tree(look_at_process, &look) < 0)
			return false;
		runs_when_held = look.runs;
		if (look.running == 0 && (look.waiting == 0 || round >= ROUNDS_TO_WAIT))
			return true;
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	}
	return false;
}

bool tree_stood_still(void)
{
	struct look look = { .stops = false };

	return visit_tree(look_at_process, &look) >= 0 && look.running == 0 && look.runs == runs_when_held;
}
