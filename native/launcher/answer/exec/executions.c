/* deny_commands again, on each program that is about to be executed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "answer/exec/executions.h"
#include "answer/exec/denials.h"
#include "answer/exec/room.h"
#include "supervise/notify.h"
#include "answer/exec/read_programs.h"
#include "report/report.h"
#include "base/path_list.h"
#include "paths/resolve.h"
#include "report/violations.h"

bool add_to_word(struct command *command, const char *bytes, size_t length, size_t size)
{
	if (command->count == WORDS_MAX || command->length + length + size + 1 > sizeof(command->text))
		return false;
	memcpy(command->text + command->length + length, bytes, size);
	return true;
}

bool end_word(struct command *command, size_t length)
{
	if (command->count == WORDS_MAX || command->length + length + 1 > sizeof(command->text))
		return false;
	char *word = command->text + command->length;
	word[length] = '\0';
	command->words[command->count++] = word;
	command->length += length + 1;
	return true;
}

bool add_word(struct command *command, const char *word, size_t length)
{
	return add_to_word(command, word, 0, length) && end_word(command, length);
}

const char *join_words(const struct command *command, const char *program, size_t first, char *text)
{
	size_t length = (size_t)snprintf(text, COMMAND_MAX, "%s", program);

	for (size_t i = first; i < command->count && length < COMMAND_MAX; i++)
		length += (size_t)snprintf(text + length, COMMAND_MAX - length, " %s", command->words[i]);
	return text;
}

/* The file of execve(path), or of execveat(dirfd, path), which with an empty path is the descriptor itself. Opens a name of the
 * task's own descriptor (fexecve, memfd) by the thread: a thread can have its own descriptor table (unshare(2), CLONE_FILES), and
 * /proc/self has only that of its process. */
static int open_program(const struct call *call, int dirfd, const char *path, char resolved[PATH_MAX])
{
	static const struct {
		const char *prefix, *of_caller;
		bool thread;
	} own[] = { { "/proc/self/", "", false }, { "/proc/thread-self/", "", true }, { "/dev/fd/", "fd/", false } };
	char link[PATH_MAX];

	link[0] = resolved[0] = '\0';
	if (*path == '\0')
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", call->task.pid, dirfd);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		size_t length = strlen(own[i].prefix);
		if (strncmp(path, own[i].prefix, length) != 0)
			continue;
		pid_t whose = own[i].thread ? call->task.pid : process_of(call->task.pid);
		if (whose < 0)
			return whose;
		if (snprintf(link, sizeof(link), "/proc/%d/%s%s", whose, own[i].of_caller, path + length) >= (int)sizeof(link))
			return -ENAMETOOLONG;
	}
	if (!*link)
		return resolve(&call->task, dirfd, path, FOLLOW, resolved);
	int fd = open(link, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Landlock refuses a program outside the read roots. The supervisor only reports it. A root may be given through a symlink. */
static void report_unreadable(const struct call *call, const char *resolved)
{
	const struct options *options = call->watch->options;
	char real[PATH_MAX];

	if (!options->landlock || !options->readable[0] || !*resolved)
		return;
	if (find_root(options->writable, resolved) || find_root(options->readable, resolved))
		return;
	for (const char *const *root = options->readable; *root; root++)
		if (realpath(*root, real) && is_within(resolved, real))
			return;
	/* If the file could not be executed outside either, this is not a refusal of ion. */
	if (faccessat(AT_FDCWD, resolved, X_OK, AT_EACCESS) < 0 || !still_waits(call))
		return;
	struct violation violation = { "exec", call->name, "unreadable", resolved, "" };
	report_violation(call, &violation);
}

int answer_exec(const struct call *call)
{
	const struct options *options = call->watch->options;
	struct command *command = &call->room->command;
	bool at = call->data->nr == __NR_execveat;
	const __u64 *args = call->data->args;
	char path[PATH_MAX], resolved[PATH_MAX];
	bool denies = has_denials(options), wants_words = denies || options->report_execs;

	command->length = command->count = 0;
	if (read_string(&call->task, args[at ? 1 : 0], path, sizeof(path)) < 0)
		return denies ? -EACCES : CONTINUE;
	/* A file that cannot be read cannot be compared. With deny rules that is a refusal. */
	int error = wants_words ? read_argv(&call->task, args[at ? 2 : 1], &call->room->pages, command) : 0;
	if (error < 0 && denies)
		return error == -E2BIG ? error : -EACCES;
	int fd = open_program(call, at ? (int)args[0] : AT_FDCWD, path, resolved);
	if (fd == -ENAMETOOLONG && denies)
		return fd;
	error = answer_listed_program(call, fd, resolved);
	if (error) {
		if (fd >= 0)
			close(fd);
		return error;
	}
	if (fd >= 0)
		report_unreadable(call, resolved);
	if (!wants_words) {
		if (fd >= 0)
			close(fd);
		return CONTINUE;
	}
	struct denial denial = { NULL, NULL };
	if (denies && !is_own_shell(call, command, fd))
		denial = find_execution_denial(call, command, path, fd, resolved);
	if (fd >= 0)
		close(fd);
	if (!still_waits(call))
		return CONTINUE;
	const char *program = *path ? path : "(descriptor)";
	if (denial.rule) {
		const char *text = join_words(command, program, 1, call->room->text);
		struct violation violation = { "exec", call->name, denial.rule, text, denial.detail };
		report_violation(call, &violation);
		return -EACCES;
	}
	if (options->report_execs && fd >= 0)
		report_exec(call->watch->control, call->task.pid, reported_inside(options, call->task.pid), program, command->words + 1,
			    command->count > 1 ? command->count - 1 : 0);
	return CONTINUE;
}
