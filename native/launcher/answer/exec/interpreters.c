#define _GNU_SOURCE
#include "answer/exec/interpreters.h"

#include <string.h>

#include "base/command_pattern.h"
#include "answer/exec/global_options.h"

/* The rest of `entry` if it is of `kind`, or NULL. */
static const char *of_kind(const char *entry, const char *kind)
{
	return behind_program(entry, kind);
}

const char *interpreter_kind(const struct options *options, const char *name, char kind[KIND_MAX])
{
	for (const char *const *entry = options->interpreters; *entry; entry++) {
		size_t length = strcspn(*entry, " ");
		if (length >= KIND_MAX || (*entry)[length] != ' ' || !glob_matches(*entry + length + 1, name))
			continue;
		memcpy(kind, *entry, length);
		kind[length] = '\0';
		return kind;
	}
	return NULL;
}

static bool has_modules(const struct options *options, const char *kind)
{
	for (const char *const *entry = options->modules; *entry; entry++)
		if (of_kind(*entry, kind))
			return true;
	return false;
}

/* The text behind the `m` of `-m` or `-Im`, which may be empty. NULL for another option. */
static const char *behind_module_option(const struct options *options, const char *kind, const char *word)
{
	if (word[0] != '-')
		return NULL;
	for (size_t i = 1; word[i]; i++) {
		const char letter[] = { '-', word[i], '\0' };
		if (word[i] == 'm')
			return word + i + 1;
		if (!is_option(options->global_flags, kind, letter))
			return NULL;
	}
	return NULL;
}

const char *next_module(const struct options *options, const struct command *command, const char *kind, bool inside,
			size_t *at)
{
	if (!has_modules(options, kind))
		return NULL;
	for (; *at < command->count; (*at)++) {
		const char *word = command->words[*at];
		const char *module = behind_module_option(options, kind, word);
		if (module) {
			if (!*module && *at + 1 == command->count)
				return NULL;
			*at += *module ? 1 : 2;
			return *module ? module : command->words[*at - 1];
		}
		if (inside)
			continue;
		if (word[0] != '-' || word[1] == '\0' || strcmp(word, "--") == 0)
			return NULL;
		enum option_kind does = kind_of_option(options, kind, word);
		if (does == ENDS)
			return NULL;
		if (does == WITH_VALUE)
			(*at)++;
	}
	return NULL;
}

/* Whether `module` is the module `name` or lies in it, as `pip._internal` in `pip`. */
static bool is_module(const char *module, const char *name, size_t length)
{
	return strncmp(module, name, length) == 0 && (module[length] == '\0' || module[length] == '.');
}

const char *program_of_module(const struct options *options, const char *kind, const char *module, size_t row)
{
	for (const char *const *entry = options->modules; *entry; entry++) {
		const char *name = of_kind(*entry, kind);
		size_t length = name ? strcspn(name, " ") : 0;
		if (name && name[length] == ' ' && is_module(module, name, length) && row-- == 0)
			return name + length + 1;
	}
	return NULL;
}

const char *multi_call_row(const struct options *options, const char *name)
{
	for (const char *const *row = options->multi_calls; *row; row++)
		if (strncmp(name, *row, strcspn(*row, " ")) == 0)
			return *row;
	return NULL;
}

bool is_shell_of(const char *row, const char *name)
{
	size_t length = strlen(name);

	for (const char *word = strchr(row, ' '); word; word = strchr(word + 1, ' '))
		if (strncmp(word + 1, name, length) == 0 && (word[1 + length] == ' ' || word[1 + length] == '\0'))
			return length > 0;
	return false;
}
