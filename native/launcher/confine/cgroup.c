#define _GNU_SOURCE
#include "confine/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "ion-run-"
#define TRIES 100

static int write_setting(int folder, const char *file, const char *text)
{
	int fd = openat(folder, file, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int error = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return error;
}

static int write_number(int folder, const char *file, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return write_setting(folder, file, text);
}

/* The number after `key` in a file of lines `key number`; 0 where there is none. */
static uint64_t read_count(int folder, const char *file, const char *key)
{
	char text[1024];
	int fd = openat(folder, file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t length = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[length > 0 ? length : 0] = '\0';
	for (char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		size_t size = strlen(key);
		if (strncmp(line, key, size) == 0 && line[size] == ' ')
			return strtoull(line + size, NULL, 10);
	}
	return 0;
}

/* A group can be removed when the last of its processes has been reaped. Another process may have to do that. */
static void remove_when_empty(int parent, const char *name)
{
	for (int try = 0; try < TRIES; try++) {
		if (unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno != EBUSY)
			return;
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	}
}

/* Groups whose launcher was killed: no process holds the lock. Any process still in one belongs to a run that is over. */
static void sweep(int parent)
{
	DIR *groups = fdopendir(openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	if (!groups)
		return;
	for (struct dirent *entry; (entry = readdir(groups));) {
		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0)
			continue;
		int folder = openat(parent, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (folder < 0)
			continue;
		if (flock(folder, LOCK_EX | LOCK_NB) == 0) {
			(void)write_setting(folder, "cgroup.kill", "1");
			remove_when_empty(parent, entry->d_name);
		}
		close(folder);
	}
	closedir(groups);
}

/* A new group, locked. Between its creation and the lock another launcher that cleans up may have removed it as a dead one.
 * Then a new one is created. */
static int make_locked(struct cgroup *cgroup)
{
	uint64_t number;
	struct stat info;

	for (int try = 0; try < TRIES; try++) {
		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return -EIO;
		snprintf(cgroup->name, sizeof(cgroup->name), PREFIX "%016" PRIx64, number);
		/* Closed to others: no other user may hold the lock. */
		if (mkdirat(cgroup->parent, cgroup->name, 0700) < 0)
			return -errno;
		cgroup->folder = openat(cgroup->parent, cgroup->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (cgroup->folder >= 0 && flock(cgroup->folder, LOCK_EX | LOCK_NB) == 0 &&
		    fstatat(cgroup->parent, cgroup->name, &info, 0) == 0)
			return 0;
		if (cgroup->folder >= 0)
			close(cgroup->folder);
		cgroup->folder = -1;
	}
	return -EAGAIN;
}

static int set_memory(struct cgroup *cgroup, uint64_t bytes)
{
	int error = write_number(cgroup->folder, "memory.max", bytes);

	/* Swapped-out memory counts too. Some kernels do not count it. */
	if (!error && (error = write_setting(cgroup->folder, "memory.swap.max", "0")) == -ENOENT)
		error = 0;
	/* All or nothing: a run that loses one of its processes would do something unintended. */
	if (!error && (error = write_setting(cgroup->folder, "memory.oom.group", "1")) == -ENOENT)
		error = 0;
	if (!error && (cgroup->memory_events = openat(cgroup->folder, "memory.events", O_RDONLY | O_CLOEXEC)) < 0)
		error = -errno;
	return error;
}

static int set_processes(struct cgroup *cgroup, uint64_t count)
{
	int error = write_number(cgroup->folder, "pids.max", count);

	if (!error && (cgroup->pids_events = openat(cgroup->folder, "pids.events", O_RDONLY | O_CLOEXEC)) < 0)
		error = -errno;
	return error;
}

int make_cgroup(const struct options *options, struct cgroup *cgroup)
{
	const struct limits *limits = &options->limits;

	cgroup->parent = open(options->cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (cgroup->parent < 0)
		return -errno;
	sweep(cgroup->parent);
	int error = make_locked(cgroup);
	if (!error && limits->memory)
		error = set_memory(cgroup, limits->memory);
	if (!error && limits->processes)
		/* Two more processes exist while the command is started. */
		error = set_processes(cgroup, limits->processes + (options->own_processes ? 2 : 0));
	if (error)
		remove_cgroup(cgroup);
	return error;
}

int count_started(const struct options *options, const struct cgroup *cgroup)
{
	if (cgroup->folder < 0 || !options->own_processes || !options->limits.processes)
		return 0;
	return write_number(cgroup->folder, "pids.max", options->limits.processes + 1);
}

int join_cgroup(const struct cgroup *cgroup)
{
	return write_setting(cgroup->folder, "cgroup.procs", "0");
}

/* A change is reported once, until the file is read. */
static void quieten(int events)
{
	char text[512];

	if (events >= 0 && pread(events, text, sizeof(text), 0) < 0)
		return;
}

bool memory_was_refused(const struct cgroup *cgroup)
{
	quieten(cgroup->memory_events);
	return cgroup->memory_events >= 0 && read_count(cgroup->folder, "memory.events", "oom") > 0;
}

bool process_was_refused(const struct cgroup *cgroup)
{
	quieten(cgroup->pids_events);
	return cgroup->pids_events >= 0 && read_count(cgroup->folder, "pids.events", "max") > 0;
}

uint64_t cgroup_cpu_us(const struct cgroup *cgroup)
{
	return read_count(cgroup->folder, "cpu.stat", "usage_usec");
}

void kill_cgroup(const struct cgroup *cgroup)
{
	if (cgroup->folder >= 0)
		(void)write_setting(cgroup->folder, "cgroup.kill", "1");
}

void remove_cgroup(struct cgroup *cgroup)
{
	const int descriptors[] = { cgroup->memory_events, cgroup->pids_events, cgroup->folder, cgroup->parent };

	if (cgroup->folder >= 0)
		remove_when_empty(cgroup->parent, cgroup->name);
	for (size_t i = 0; i < sizeof(descriptors) / sizeof(descriptors[0]); i++)
		if (descriptors[i] >= 0)
			close(descriptors[i]);
	*cgroup = (struct cgroup)NO_CGROUP;
}
