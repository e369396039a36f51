#define _GNU_SOURCE
#include "answer/exec/recheck.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "answer/exec/denials.h"
#include "answer/exec/executions.h"
#include "answer/exec/read_programs.h"
#include "answer/exec/room.h"
#include "report/violations.h"

/* The words of a process as the kernel has set them up. */
static bool read_cmdline(pid_t pid, char text[TEXT_MAX], struct command *command)
{
	char path[64];
	size_t length = 0;
	ssize_t count;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while (length < TEXT_MAX && (count = read(fd, text + length, TEXT_MAX - length)) > 0)
		length += (size_t)count;
	close(fd);
	command->length = command->count = 0;
	for (size_t at = 0; at < length;) {
		size_t word = strnlen(text + at, length - at);
		if (!add_word(command, text + at, word))
			return false;
		at += word + 1;
	}
	return length < TEXT_MAX;
}

static struct denial denial_at_recheck(const struct call *call, struct command *command, char program[PATH_MAX])
{
	static const struct denial unseen = { "denied-command", "" };
	struct denial denial = { NULL, NULL };
	char link[64];

	program_of(&call->task, program);
	if (!read_cmdline(call->task.pid, call->room->file, command) || !*program)
		return unseen; /* cannot be looked at: with deny rules a refusal */
	snprintf(link, sizeof(link), "/proc/%d/exe", call->task.pid);
	int fd = open(link, O_PATH | O_CLOEXEC);
	if (!is_own_shell(call, command, fd))
		denial = find_recheck_denial(call, command, fd, program);
	if (fd >= 0)
		close(fd);
	return denial;
}

int answer_recheck(const struct call *call)
{
	struct command *command = &call->room->command;
	char program[PATH_MAX];

	answer_listed_recheck(call);
	if (!has_denials(call->watch->options))
		return CONTINUE;
	struct denial denial = denial_at_recheck(call, command, program);

	/* The process may be gone, and its number may belong to another one by now. */
	if (!denial.rule || !still_waits(call))
		return CONTINUE;
	const char *text = join_words(command, program, 1, call->room->text);
	struct violation violation = { "exec", "execve", denial.rule, text, denial.detail };
	report_violation(call, &violation);
	kill_task(call);
	return CONTINUE;
}
