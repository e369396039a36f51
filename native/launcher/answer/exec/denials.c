#define _GNU_SOURCE
#include "answer/exec/denials.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answer/exec/global_options.h"
#include "answer/exec/interpreters.h"
#include "answer/exec/known_programs.h"
#include "answer/exec/name_rules.h"
#include "answer/exec/program_identity.h"
#include "answer/exec/room.h"
#include "paths/resolve.h"

#define DEPTH_MAX 8

static void look_at(struct look *look, const char *name, size_t first);
static void look_at_word(struct look *look, size_t at);

bool has_denials(const struct options *options)
{
	return options->deny[0] || options->rules[0];
}

/* Treats a program that another one runs as a name of that one. */
static void compare_inside(struct look *look, const char *name, size_t first, struct standing *standing)
{
	struct standing inside = { { NO_RULE, NO_RULE } };

	compare_name(look, name, first, &inside);
	weigh(look, name, first, &inside);
	for (int group = 0; group < RULE_GROUPS; group++)
		if (inside.denying[group] < standing->denying[group])
			standing->denying[group] = inside.denying[group];
}

/* The word at `at` may be the file of a known program under another name. */
static void look_at_known(struct look *look, int fd, size_t first)
{
	const struct known_programs *known = &look->call->watch->known;
	struct stat info;

	if (fd < 0 || fstat(fd, &info) < 0)
		return;
	for (size_t i = 0; i < known->count; i++)
		if (is_known_program(&known->list[i], fd, &info))
			look_at(look, known->list[i].name, first);
}

/* `sh deploy x` runs deploy. */
static void compare_script(struct look *look, const char *kind, size_t first, struct standing *standing)
{
	char resolved[PATH_MAX];
	size_t operands[OPERANDS_MAX];
	int count = find_operands(look->call->watch->options, look->command, kind, first, operands);

	for (int i = 0; i < count; i++) {
		const char *script = word_at(look, operands[i]);
		if (!*script)
			continue;
		compare_inside(look, script, operands[i] + 1, standing);
		compare_inside(look, base_name(script), operands[i] + 1, standing);
		int fd = resolve(&look->call->task, AT_FDCWD, script, FOLLOW, resolved);
		if (fd < 0)
			continue;
		compare_inside(look, base_name(resolved), operands[i] + 1, standing);
		look_at_known(look, fd, operands[i] + 1);
		close(fd);
	}
}

static void compare_module(struct look *look, const char *kind, const char *module, size_t first, struct standing *standing)
{
	const struct options *options = look->call->watch->options;
	const char *program;
	char name[PATH_MAX];

	for (size_t row = 0; (program = program_of_module(options, kind, module, row)); row++)
		compare_inside(look, program, first, standing);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(module, "."), module);
	compare_inside(look, name, first, standing);
}

/* `python3 -m pip install` is `pip install`. */
static void compare_modules(struct look *look, const char *kind, size_t first, struct standing *standing)
{
	const struct options *options = look->call->watch->options;
	bool inside = false;
	const char *module;

	for (size_t at = first; (module = next_module(options, look->command, kind, inside, &at)); inside = true) {
		compare_module(look, kind, module, at, standing);
		/* `-m runpy pip` */
		if (strcmp(module, "runpy") == 0 && at < look->command->count)
			compare_module(look, kind, word_at(look, at), at + 1, standing);
	}
}

static bool is_same_file(int fd, const char *path)
{
	struct stat ours, other;

	return fstat(fd, &ours) == 0 && stat(path, &other) == 0 && ours.st_dev == other.st_dev && ours.st_ino == other.st_ino;
}

/* The shell of a multi-call program runs the other applets in its own process, without an execution: busybox sh has rm. The
 * machine's own shell has to run, even if it is such a shell. */
static void look_at_applets(struct look *look)
{
	const struct options *options = look->call->watch->options;

	if (look->fd < 0 || is_same_file(look->fd, "/bin/sh"))
		return;
	for (const char *const *pattern = options->deny; *pattern && !look->found.rule; pattern++)
		if (holds_name(look->fd, *pattern, strcspn(*pattern, " ")))
			deny(look, "denied-command", *pattern);
	for (const char *const *rule = options->rules; *rule && !look->found.rule; rule++)
		if ((*rule)[1] == 'd' && holds_name(look->fd, rule_prefix(*rule), strcspn(rule_prefix(*rule), " ")))
			deny(look, "denied-rule", rule_prefix(*rule));
}

static void look_into_many(struct look *look, const char *row, size_t first)
{
	if (is_shell_of(row, base_name(word_at(look, first))) || is_shell_of(row, base_name(word_at(look, 0))))
		look_at_applets(look);
	if (first < look->command->count)
		look_at_word(look, first);
}

/* One name of a program, with arguments from `first` on. An allow rule outweighs a deny rule only for the name that it was
 * written for: a copy of git under another name is git. */
static void look_at(struct look *look, const char *name, size_t first)
{
	const struct watch *watch = look->call->watch;
	struct standing standing = { { NO_RULE, NO_RULE } };
	char of[KIND_MAX];
	const char *kind = interpreter_kind(watch->options, base_name(name), of);
	const char *row = multi_call_row(watch->options, base_name(name));

	if (look->found.rule || look->depth == DEPTH_MAX)
		return;
	look->depth++;
	compare_name(look, name, first, &standing);
	if (kind) {
		compare_script(look, kind, first, &standing);
		compare_modules(look, kind, first, &standing);
	}
	if (row)
		look_into_many(look, row, first);
	look->depth--;
	weigh(look, name, first, &standing);
	for (int group = 0; group < RULE_GROUPS; group++)
		if (standing.denying[group] != NO_RULE)
			deny(look, "denied-rule", rule_prefix(watch->options->rules[standing.denying[group]]));
}

/* All names of a file: the path as given, its last part, the real path, `called` (argv[0], by which a program may act), and the
 * known program of this content. */
static void look_at_file(struct look *look, const char *given, const char *called, int fd, const char *resolved, size_t first)
{
	const char *names[] = { given, base_name(given), resolved, base_name(resolved), base_name(called) };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		bool looked = *names[i] == '\0';
		for (size_t j = 0; j < i; j++)
			looked = looked || strcmp(names[i], names[j]) == 0;
		if (!looked)
			look_at(look, names[i], first);
	}
	look_at_known(look, fd, first);
}

/* A program that another one runs without an execution. */
static void look_at_word(struct look *look, size_t at)
{
	char resolved[PATH_MAX];
	int fd = resolve(&look->call->task, AT_FDCWD, word_at(look, at), FOLLOW, resolved);

	look_at_file(look, word_at(look, at), "", fd, resolved, at + 1);
	if (fd >= 0)
		close(fd);
}

/* The dynamic loader executes its first operand itself. Returns the index of that word, or 0. */
static size_t loaded_program(const struct command *command, const char *name, int fd)
{
	static const char *const with_value[] = { "--library-path", "--inhibit-rpath", "--audit", "--preload",
						  "--argv0", "--glibc-hwcaps-prepend", "--glibc-hwcaps-mask" };

	if (strncmp(name, "ld-", 3) != 0 && strncmp(name, "ld.so", 5) != 0 && (fd < 0 || !is_loader(fd)))
		return 0;
	for (size_t i = 1; i < command->count; i++) {
		if (command->words[i][0] != '-')
			return i;
		for (size_t j = 0; j < sizeof(with_value) / sizeof(with_value[0]); j++)
			if (strcmp(command->words[i], with_value[j]) == 0)
				i++;
	}
	return 0;
}

static void look_at_execution(struct look *look, const char *given, const char *resolved)
{
	size_t loaded = loaded_program(look->command, base_name(*resolved ? resolved : given), look->fd);

	look_at_file(look, given, word_at(look, 0), look->fd, resolved, 1);
	if (loaded)
		look_at_word(look, loaded);
}

/* The kernel turns a script into `interpreter [one argument] file arguments...`. */
static struct denial denial_of_script(const struct call *call, const struct command *command, char *interpreter,
				      const char *file)
{
	struct command *whole = &call->room->script;
	char resolved[PATH_MAX];
	char *argument = interpreter + strcspn(interpreter, " \t");

	whole->length = whole->count = 0;
	if (*argument) {
		*argument++ = '\0';
		argument += strspn(argument, " \t");
	}
	add_word(whole, interpreter, strlen(interpreter));
	if (*argument)
		add_word(whole, argument, strlen(argument));
	add_word(whole, file, strlen(file));
	for (size_t i = 1; i < command->count; i++)
		add_word(whole, command->words[i], strlen(command->words[i]));
	/* `#!/usr/bin/env sudo`: env executes again, and that execution is checked separately. */
	struct look look = { .call = call, .command = whole };
	look.fd = resolve(&call->task, AT_FDCWD, interpreter, FOLLOW, resolved);
	look_at_execution(&look, interpreter, resolved);
	if (look.fd >= 0)
		close(look.fd);
	return look.found;
}

struct denial find_execution_denial(const struct call *call, const struct command *command, const char *given, int fd,
				    const char *resolved)
{
	struct look look = { .call = call, .command = command, .fd = fd };
	char interpreter[256];

	look_at_execution(&look, given, resolved);
	if (!look.found.rule && fd >= 0 && read_interpreter(fd, interpreter))
		return denial_of_script(call, command, interpreter, given);
	return look.found;
}

struct denial find_recheck_denial(const struct call *call, const struct command *command, int fd, const char *program)
{
	struct look look = { .call = call, .command = command, .fd = fd };

	look_at_execution(&look, word_at(&look, 0), program);
	return look.found;
}

bool is_own_shell(const struct call *call, const struct command *command, int fd)
{
	char *const *own = call->watch->options->argv;
	size_t i = 0;

	if (call->task.pid != call->watch->command || fd < 0 || !is_same_program(fd, own[0]))
		return false;
	while (i < command->count && own[i] && strcmp(command->words[i], own[i]) == 0)
		i++;
	return i == command->count && !own[i];
}
