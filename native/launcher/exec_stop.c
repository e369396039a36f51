#define _GNU_SOURCE
#include "exec_stop.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executions.h"
#include "violations.h"

bool seize_caller(const struct call *call)
{
	if (ptrace(PTRACE_SEIZE, call->caller.pid, NULL, PTRACE_O_TRACEEXEC) == 0)
		return true;
	/* Seized before, for an execution that then failed: still ours. */
	return tracer_of(call->caller.pid) == getpid();
}

/* The words of a process as the kernel has set them up. */
static bool read_cmdline(pid_t pid, struct command *command)
{
	static char text[COMMAND_MAX];
	char path[64];
	size_t length = 0;
	ssize_t count;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while (length < sizeof(text) && (count = read(fd, text + length, sizeof(text) - length)) > 0)
		length += (size_t)count;
	close(fd);
	command->length = command->count = 0;
	for (size_t at = 0; at < length;) {
		size_t word = strnlen(text + at, length - at);
		if (!add_word(command, text + at, word))
			return false;
		at += word + 1;
	}
	return length < sizeof(text);
}

static const char *denial_of_image(const struct watch *watch, pid_t pid, struct command *command, char program[PATH_MAX])
{
	struct caller caller = { pid, watch->root };
	struct call call = { .watch = watch, .caller = caller, .name = "execve" };
	char link[64];

	program_of(&caller, program);
	if (!read_cmdline(pid, command) || !*program)
		return watch->options->deny[0]; /* cannot be looked at: with deny rules a refusal */
	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	int fd = open(link, O_PATH | O_CLOEXEC);
	const char *pattern = find_image_denial(&call, command, fd, program);
	if (fd >= 0)
		close(fd);
	return pattern;
}

static void look_at_image(const struct watch *watch, pid_t pid)
{
	static struct command command;
	static char text[COMMAND_MAX];
	char program[PATH_MAX];
	const char *pattern = denial_of_image(watch, pid, &command, program);

	if (pattern) {
		struct caller caller = { pid, watch->root };
		struct violation violation = { "exec", "execve", "denied-command",
					       join_words(&command, program, 1, text), pattern };
		report_violation(watch->control, &caller, &violation);
		kill(pid, SIGKILL);
	}
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

bool take_trace_stop(const struct watch *watch, pid_t pid, int status)
{
	if (!WIFSTOPPED(status) || watch->listener < 0)
		return false;
	int event = status >> 16;
	int signal = WSTOPSIG(status);

	if (event == PTRACE_EVENT_EXEC) {
		look_at_image(watch, pid);
		return true;
	}
	if (tracer_of(pid) != getpid())
		return false; /* job control of our own child */
	/* An execution that failed leaves the process seized: let go of it at its next stop, with the signal it stopped for.
	 * A group stop (PTRACE_EVENT_STOP) stays one after the detach. */
	ptrace(PTRACE_DETACH, pid, NULL, (void *)(long)(event == PTRACE_EVENT_STOP ? 0 : signal));
	return true;
}
