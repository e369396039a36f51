/* deny_commands once more, on what is about to be executed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "executions.h"
#include "global_options.h"
#include "notify.h"
#include "programs.h"
#include "read_programs.h"
#include "report.h"
#include "lists.h"
#include "resolve.h"
#include "violations.h"

bool add_word(struct command *command, const char *word, size_t length)
{
	if (command->count == WORDS_MAX || command->length + length + 1 > sizeof(command->text))
		return false;
	char *copy = command->text + command->length;
	memcpy(copy, word, length);
	copy[length] = '\0';
	command->words[command->count++] = copy;
	command->length += length + 1;
	return true;
}

#define WORD_MAX 131072 /* MAX_ARG_STRLEN */

/* argv of the caller. -E2BIG when it is more than can be looked at: a pattern could match behind the end. */
static int read_argv(const struct call *call, uint64_t address, struct command *command)
{
	static char word[WORD_MAX];

	if (!address)
		return 0;
	for (size_t i = 0; i <= WORDS_MAX; i++) {
		uint64_t pointer;
		if (read_memory(&call->caller, address + i * sizeof(pointer), &pointer, sizeof(pointer)) !=
		    sizeof(pointer))
			return -EFAULT;
		if (!pointer)
			return 0;
		ssize_t length = read_string(&call->caller, pointer, word, sizeof(word));
		if (length < 0)
			return length == -ENAMETOOLONG ? -E2BIG : (int)length;
		if (!add_word(command, word, (size_t)length))
			return -E2BIG;
	}
	return -E2BIG;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *join_words(const struct command *command, const char *program, size_t first, char *text)
{
	size_t length = (size_t)snprintf(text, COMMAND_MAX, "%s", program);

	for (size_t i = first; i < command->count && length < COMMAND_MAX; i++)
		length += (size_t)snprintf(text + length, COMMAND_MAX - length, " %s", command->words[i]);
	return text;
}

/* For a command that cannot be followed: any pattern of the program. */
static const char *any_denial_of(const struct options *options, const char *program)
{
	for (const char *const *pattern = options->deny; *pattern; pattern++)
		if (behind_program(*pattern, program))
			return *pattern;
	return NULL;
}

static const char *find_denial(const struct watch *watch, const struct command *command, const char *program,
			       size_t first)
{
	static char text[COMMAND_MAX];
	size_t operands[OPERANDS_MAX];
	const char *pattern = find_deny_rule(&watch->deny, join_words(command, program, first, text));

	if (pattern || first >= command->count || command->words[first][0] != '-')
		return pattern;
	int count = find_operands(watch->options, command, base_name(program), first, operands);
	if (count < 0)
		return any_denial_of(watch->options, base_name(program));
	for (int i = 0; i < count && !pattern; i++)
		pattern = find_deny_rule(&watch->deny, join_words(command, program, operands[i], text));
	return pattern;
}

/* `git-push`, a program of its own or git under that name, is `git push`. */
static const char *denial_of_name(const struct watch *watch, const struct command *command, const char *name, size_t first)
{
	char as_git[PATH_MAX];
	const char *pattern = find_denial(watch, command, name, first), *base = base_name(name);

	if (pattern || strncmp(base, "git-", 4) != 0)
		return pattern;
	snprintf(as_git, sizeof(as_git), "git %s", base + 4);
	return find_denial(watch, command, as_git, first);
}

/* The names that a file answers to: as given, by its last part, resolved, and as the denied program it is or copies. */
static const char *denial_of_file(const struct call *call, const struct command *command, const char *given, int fd,
				  const char *resolved, size_t first)
{
	const struct watch *watch = call->watch;
	const char *called = command->count > 0 ? command->words[0] : ""; /* by itself: a program may go by that */
	const char *names[] = { given, base_name(given), resolved, base_name(resolved), base_name(called) };
	const char *pattern = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !pattern; i++)
		if (*names[i])
			pattern = denial_of_name(watch, command, names[i], first);
	for (const char *const *program = watch->options->denied_programs; fd >= 0 && *program && !pattern; program++)
		if (is_same_program(fd, *program))
			pattern = find_denial(watch, command, base_name(*program), first);
	return pattern;
}

/* Programs that execute their first operand themselves, without another execve: the dynamic loader, and the
 * multi-call programs. Returns the index of the word that is the real program, or 0. */
static size_t inner_program(const struct command *command, const char *name, int fd)
{
	if (strcmp(name, "busybox") == 0 || strcmp(name, "toybox") == 0)
		return command->count > 1 ? 1 : 0;
	if (strncmp(name, "ld-", 3) != 0 && strncmp(name, "ld.so", 5) != 0 && (fd < 0 || !is_loader(fd)))
		return 0;
	static const char *const with_value[] = { "--library-path", "--inhibit-rpath", "--audit", "--preload",
						  "--argv0", "--glibc-hwcaps-prepend", "--glibc-hwcaps-mask" };
	for (size_t i = 1; i < command->count; i++) {
		if (command->words[i][0] != '-')
			return i;
		for (size_t j = 0; j < sizeof(with_value) / sizeof(with_value[0]); j++)
			if (strcmp(command->words[i], with_value[j]) == 0)
				i++;
	}
	return 0;
}

/* What the kernel makes of a script: `interpreter [one argument] file arguments...`. */
static const char *denial_of_script(const struct call *call, const struct command *command, char *interpreter,
				    const char *file)
{
	static struct command whole;
	char resolved[PATH_MAX];
	char *argument = interpreter + strcspn(interpreter, " \t");

	whole.length = whole.count = 0;
	if (*argument) {
		*argument++ = '\0';
		argument += strspn(argument, " \t");
	}
	add_word(&whole, interpreter, strlen(interpreter));
	if (*argument)
		add_word(&whole, argument, strlen(argument));
	add_word(&whole, file, strlen(file));
	for (size_t i = 1; i < command->count; i++)
		add_word(&whole, command->words[i], strlen(command->words[i]));
	int fd = resolve(&call->caller, AT_FDCWD, interpreter, FOLLOW, resolved);
	const char *pattern = denial_of_file(call, &whole, interpreter, fd, resolved, 1);
	/* `#!/usr/bin/env sudo`: env executes again, and that is seen by itself. */
	if (fd >= 0)
		close(fd);
	return pattern;
}

static const char *denial_of_inner(const struct call *call, const struct command *command, size_t inner)
{
	char resolved[PATH_MAX];
	int fd = resolve(&call->caller, AT_FDCWD, command->words[inner], FOLLOW, resolved);
	const char *pattern = denial_of_file(call, command, command->words[inner], fd, resolved, inner + 1);

	if (fd >= 0)
		close(fd);
	return pattern;
}

static const char *find_execution_denial(const struct call *call, const struct command *command, const char *given,
					 int fd, const char *resolved)
{
	char interpreter[256];
	const char *pattern = denial_of_file(call, command, given, fd, resolved, 1);
	size_t inner = inner_program(command, base_name(*resolved ? resolved : given), fd);

	if (!pattern && inner)
		pattern = denial_of_inner(call, command, inner);
	if (!pattern && fd >= 0 && read_interpreter(fd, interpreter))
		pattern = denial_of_script(call, command, interpreter, given);
	return pattern;
}

const char *find_image_denial(const struct call *call, const struct command *command, int fd, const char *program)
{
	const char *given = command->count > 0 ? command->words[0] : "";
	const char *pattern = denial_of_file(call, command, given, fd, program, 1);
	size_t inner = inner_program(command, base_name(program), fd);

	return pattern || !inner ? pattern : denial_of_inner(call, command, inner);
}

/* The file of execve(path), or of execveat(dirfd, path), which with an empty path is the descriptor itself. Names that
 * mean the caller's own descriptors (fexecve, memfd) are opened as the caller's: a thread can have other descriptors (unshare(2),
 * CLONE_FILES) than its process, which is what /proc/self is. */
static int open_program(const struct call *call, int dirfd, const char *path, char resolved[PATH_MAX])
{
	static const struct {
		const char *prefix, *of_caller;
		bool thread;
	} own[] = { { "/proc/self/", "", false }, { "/proc/thread-self/", "", true }, { "/dev/fd/", "fd/", false } };
	char link[PATH_MAX];

	link[0] = resolved[0] = '\0';
	if (*path == '\0')
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", call->caller.pid, dirfd);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		size_t length = strlen(own[i].prefix);
		if (strncmp(path, own[i].prefix, length) != 0)
			continue;
		pid_t whose = own[i].thread ? call->caller.pid : process_of(call->caller.pid);
		if (whose < 0)
			return whose;
		if (snprintf(link, sizeof(link), "/proc/%d/%s%s", whose, own[i].of_caller, path + length) >= (int)sizeof(link))
			return -ENAMETOOLONG;
	}
	if (!*link)
		return resolve(&call->caller, dirfd, path, FOLLOW, resolved);
	int fd = open(link, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Landlock is about to refuse a program outside the read roots: only tell. A root may be given through a symlink. */
static void tell_unreadable(const struct call *call, const char *resolved)
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
	/* What could not be executed outside either is no refusal of ours. */
	if (faccessat(AT_FDCWD, resolved, X_OK, AT_EACCESS) < 0 || !still_waits(call))
		return;
	struct violation violation = { "exec", call->name, "unreadable", resolved, "" };
	report_violation(call, &violation);
}

int judge_exec(const struct call *call)
{
	static struct command command;
	const struct options *options = call->watch->options;
	bool at = call->data->nr == __NR_execveat;
	const __u64 *args = call->data->args;
	char path[PATH_MAX], resolved[PATH_MAX];
	bool wants_words = options->deny[0] || options->tell_execs;

	command.length = command.count = 0;
	if (read_string(&call->caller, args[at ? 1 : 0], path, sizeof(path)) < 0)
		return options->deny[0] ? -EACCES : CONTINUE;
	/* What cannot be read cannot be compared: with deny rules that is a refusal. */
	int error = wants_words ? read_argv(call, args[at ? 2 : 1], &command) : 0;
	if (error < 0 && options->deny[0])
		return error == -E2BIG ? error : -EACCES;
	int fd = open_program(call, at ? (int)args[0] : AT_FDCWD, path, resolved);
	if (fd == -ENAMETOOLONG && options->deny[0])
		return fd;
	error = judge_listed_program(call, fd, resolved);
	if (error) {
		if (fd >= 0)
			close(fd);
		return error;
	}
	if (fd >= 0)
		tell_unreadable(call, resolved);
	if (!wants_words) {
		if (fd >= 0)
			close(fd);
		return CONTINUE;
	}
	const char *pattern =
		options->deny[0] ? find_execution_denial(call, &command, path, fd, resolved) : NULL;
	if (fd >= 0)
		close(fd);
	if (!still_waits(call))
		return CONTINUE;
	const char *program = *path ? path : "(descriptor)";
	if (pattern) {
		static char text[COMMAND_MAX];
		join_words(&command, program, 1, text);
		struct violation violation = { "exec", call->name, "denied-command", text, pattern };
		report_violation(call, &violation);
		return -EACCES;
	}
	if (options->tell_execs && fd >= 0)
		report_exec(call->watch->control, call->caller.pid, program, command.words + 1,
			    command.count > 1 ? command.count - 1 : 0);
	return CONTINUE;
}
