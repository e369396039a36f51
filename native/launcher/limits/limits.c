#define _GNU_SOURCE
#include "limits/limits.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tree/descriptors.h"
#include "tree/tree.h"
#include "limits/tree_usage.h"

static const struct passed none = { NULL, 0, 0 };

static bool has_cgroup(const struct limit_watch *watch)
{
	return watch->cgroup.folder >= 0;
}

bool is_sampled(const struct limit_watch *watch)
{
	const struct limits *limits = &watch->options->limits;

	return limits->cpu_seconds || limits->open_files || limits->disk ||
	       (!has_cgroup(watch) && (limits->memory || limits->processes));
}

static struct passed find_refused(const struct limit_watch *watch)
{
	const struct limits *limits = &watch->options->limits;

	if (memory_was_refused(&watch->cgroup))
		return (struct passed){ "memory", limits->memory, 0 };
	if (process_was_refused(&watch->cgroup))
		return (struct passed){ "processes", limits->processes + 1, 0 };
	return none;
}

/* The run's own /dev/shm was empty at the start. */
static struct passed find_filled(const struct limit_watch *watch)
{
	const uint64_t limit = watch->options->limits.disk;
	uint64_t lost, shm;

	if (!limit)
		return none;
	lost = lost_bytes(&watch->disk);
	if (watch->options->own_shm && own_shm_bytes(watch->command, &shm) && shm > lost)
		lost = shm;
	return lost > limit ? (struct passed){ "disk", lost, 0 } : none;
}

static struct passed find_used(const struct limit_watch *watch, const struct usage *usage)
{
	const struct limits *limits = &watch->options->limits;
	uint64_t cpu_us = has_cgroup(watch) ? cgroup_cpu_us(&watch->cgroup) : usage->cpu_us;

	if (limits->memory && usage->memory_bytes > limits->memory)
		return (struct passed){ "memory", usage->memory_bytes, 0 };
	if (limits->processes && usage->tasks > limits->processes)
		return (struct passed){ "processes", usage->tasks, 0 };
	if (limits->cpu_seconds && cpu_us >= limits->cpu_seconds * 1000000)
		return (struct passed){ "cpu", cpu_us / 1000000, 0 };
	return none;
}

struct passed find_passed(const struct limit_watch *watch, bool look)
{
	struct usage usage = { 0 };
	struct passed passed = has_cgroup(watch) ? find_refused(watch) : none;

	if (!passed.limit)
		passed = find_filled(watch);
	if (passed.limit || !look)
		return passed;
	if (!has_cgroup(watch) && measure_tree(watch->options, &usage) < 0)
		return none;
	return find_used(watch, &usage);
}

struct passed find_met(struct limit_watch *watch)
{
	const uint64_t limit = watch->options->limits.open_files;
	struct passed met = { "open_files", limit, watch->command };

	if (!limit || watch->reported_files)
		return none;
	/* The command starts with its standard streams, so it always reaches such a small limit, even if it ends at once. */
	if (limit > STDERR_FILENO + 1 && !find_most_files(limit, &met.pid, &met.value))
		return none;
	watch->reported_files = true;
	return met;
}

/* A shell ends with 128 + the signal that ended its last command. */
static bool ended_by(int status, int signal)
{
	return WIFSIGNALED(status) ? WTERMSIG(status) == signal :
				     WIFEXITED(status) && WEXITSTATUS(status) == 128 + signal;
}

struct passed ended_by_limit(struct limit_watch *watch, pid_t pid, int status)
{
	const uint64_t limit = watch->options->limits.file_size;

	if (!limit || watch->reported_size || !ended_by(status, SIGXFSZ))
		return none;
	watch->reported_size = true;
	return (struct passed){ "file_size", limit, pid };
}

bool ended_by_cpu(const struct limit_watch *watch, int status, uint64_t *value)
{
	const uint64_t limit = watch->options->limits.cpu_seconds;
	struct rusage usage;

	if (!limit)
		return false;
	getrusage(RUSAGE_CHILDREN, &usage);
	*value = cpu_of(&usage) / 1000000;
	bool ended = ended_by(status, SIGXCPU) || (ended_by(status, SIGKILL) && *value >= limit);
	/* The kernel's clocks for the limit and for the usage differ by a tick: 0.999 s must not show as 0 of a limit of 1. */
	if (*value < limit)
		*value = limit;
	return ended;
}
