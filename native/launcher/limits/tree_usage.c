#define _GNU_SOURCE
#include "limits/tree_usage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "tree/descriptors.h"
#include "tree/tree.h"

struct measurement {
	const struct options *options;
	struct usage *usage;
	bool knows_shm;
};

/* Adds the process's CPU time to `usage`. It includes the time of children that ended and were waited for. Returns true if the
 * first thread has ended but others have not. */
static bool add_stat(pid_t pid, struct usage *usage)
{
	char path[64], text[1024], state;
	uint64_t user, system, waited_user, waited_system, threads;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (read_small_file(path, text, sizeof(text)) <= 0)
		return false;
	const char *after_name = strrchr(text, ')');
	if (!after_name ||
	    sscanf(after_name + 1,
		   " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %*d %*d %" SCNu64,
		   &state, &user, &system, &waited_user, &waited_system, &threads) != 6)
		return false;
	usage->cpu_us += (user + system + waited_user + waited_system) * (1000000u / (uint64_t)sysconf(_SC_CLK_TCK));
	usage->tasks += threads;
	return state == 'Z' && threads > 1;
}

uint64_t cpu_us_of(pid_t pid)
{
	struct usage usage = { 0 };

	(void)add_stat(pid, &usage);
	return usage.cpu_us;
}

static uint64_t resident_pages(pid_t thread)
{
	char path[64], text[128];
	unsigned long long pages;

	snprintf(path, sizeof(path), "/proc/%d/statm", thread);
	return read_small_file(path, text, sizeof(text)) > 0 && sscanf(text, "%*u %llu", &pages) == 1 ? pages : 0;
}

pid_t living_thread(pid_t pid)
{
	char path[64];
	pid_t living = pid;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *threads = opendir(path);
	if (!threads)
		return pid;
	for (struct dirent *entry; living == pid && (entry = readdir(threads));) {
		pid_t thread = (pid_t)atoi(entry->d_name);
		if (thread > 0 && resident_pages(thread) > 0)
			living = thread;
	}
	closedir(threads);
	return living;
}

bool own_shm_bytes(pid_t pid, uint64_t *bytes)
{
	char path[64];
	struct stat own, outside;
	struct statfs info;

	snprintf(path, sizeof(path), "/proc/%d/root/dev/shm", pid);
	if (stat(path, &own) < 0 || statfs(path, &info) < 0)
		return false;
	if (stat("/dev/shm", &outside) == 0 && outside.st_dev == own.st_dev)
		return false;
	*bytes = (uint64_t)(info.f_blocks - info.f_bfree) * (uint64_t)info.f_bsize;
	return true;
}

static bool add_own_shm(pid_t pid, struct usage *usage)
{
	uint64_t bytes;

	if (!own_shm_bytes(pid, &bytes))
		return false;
	usage->memory_bytes += bytes;
	return true;
}

static void measure(pid_t pid, void *argument)
{
	struct measurement *measurement = argument;
	const struct limits *limits = &measurement->options->limits;
	struct usage *usage = measurement->usage;

	if (add_stat(pid, usage))
		pid = living_thread(pid);
	if (limits->memory)
		usage->memory_bytes += resident_pages(pid) * (uint64_t)sysconf(_SC_PAGESIZE);
	if (limits->memory && measurement->options->own_shm && !measurement->knows_shm)
		measurement->knows_shm = add_own_shm(pid, usage);
}

int measure_tree(const struct options *options, struct usage *usage)
{
	struct measurement measurement = { options, usage, false };
	struct rusage reaped;

	*usage = (struct usage){ 0 };
	getrusage(RUSAGE_CHILDREN, &reaped);
	usage->cpu_us = cpu_of(&reaped);
	if (options->limits.memory)
		usage->memory_bytes = memory_held_open();
	return visit_tree(measure, &measurement);
}
