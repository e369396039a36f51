#define _GNU_SOURCE
#include "answer/exec/read_programs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command_pattern.h"
#include "base/path_list.h"
#include "answer/exec/program_identity.h"
#include "answer/exec/room.h"
#include "report/violations.h"

static bool is_named(const struct options *options, const char *path)
{
	return is_listed(options->programs, path) || find_root(options->program_folders, path);
}

static void report(const struct call *call, const char *target, const char *detail)
{
	struct violation violation = { "exec", "execve", "read-mode", target, detail };

	report_violation(call, &violation);
}

/* Store the path of an open file, or "" if it has none. */
static void path_of(int fd, char path[PATH_MAX])
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t length = fd < 0 ? -1 : readlink(link, path, PATH_MAX - 1);
	path[length > 0 ? length : 0] = '\0';
}

int answer_listed_program(const struct call *call, int fd, const char *resolved)
{
	const struct options *options = call->watch->options;

	char path[PATH_MAX];

	/* A missing file fails by itself. A file that is created meanwhile is rechecked after the execution. */
	if (!options->programs[0] || fd == -ENOENT)
		return 0;
	path_of(fd, path);
	if (is_named(options, path) && !is_loader(fd))
		return 0;
	if (still_waits(call))
		report(call, *path ? path : resolved, "");
	return -EACCES;
}

/* The environment of a process as the kernel has set it up. Returns its length, or -errno. */
static ssize_t read_environment(pid_t pid, char *text, size_t size)
{
	char path[64];
	size_t length = 0;
	ssize_t count = 0;

	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (length < size && (count = read(fd, text + length, size - length)) > 0)
		length += (size_t)count;
	int error = count < 0 ? -errno : length == size ? -E2BIG : 0;
	close(fd);
	return error ? error : (ssize_t)length;
}

static bool is_held(const struct options *options, const char *entry)
{
	char name[256];
	size_t length = strcspn(entry, "=");

	if (length >= sizeof(name))
		return false;
	memcpy(name, entry, length);
	name[length] = '\0';
	for (const char *const *pattern = options->held; *pattern; pattern++)
		if (glob_matches(*pattern, name))
			return true;
	return false;
}

/* The name of a held variable that was added, changed or removed since ion set it. NULL: none. */
static const char *find_change(const struct options *options, const char *text, size_t length)
{
	size_t given = 0, found = 0;

	for (const char *const *entry = options->environment; *entry; entry++)
		given += is_held(options, *entry);
	for (const char *at = text; at < text + length; at += strlen(at) + 1) {
		if (!is_held(options, at))
			continue;
		if (!is_listed(options->environment, at))
			return at;
		found++;
	}
	return found == given ? NULL : "(a variable of read mode is missing)";
}

void answer_listed_recheck(const struct call *call)
{
	char *text = call->room->environment;
	const struct options *options = call->watch->options;
	char program[PATH_MAX];

	if (!options->programs[0])
		return;
	program_of(&call->task, program);
	ssize_t length = read_environment(call->task.pid, text, ENVIRONMENT_MAX);
	text[length > 0 ? length : 0] = '\0';
	const char *change = length < 0 ? "(cannot be read)" : find_change(options, text, (size_t)length);
	bool named = is_named(options, program);
	/* The process may be gone, and its number may belong to another one by now. */
	if ((named && !change) || !still_waits(call))
		return;
	char name[128] = "";
	if (named)
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(change, "="), change);
	report(call, program, name);
	kill_task(call);
}
