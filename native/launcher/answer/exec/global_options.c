#define _GNU_SOURCE
#include "answer/exec/global_options.h"

#include <errno.h>
#include <string.h>

const char *behind_program(const char *entry, const char *program)
{
	size_t length = strlen(program);

	return strncmp(entry, program, length) == 0 && entry[length] == ' ' ? entry + length + 1 : NULL;
}

static bool has_list(const char *const *list, const char *program)
{
	for (; *list; list++)
		if (behind_program(*list, program))
			return true;
	return false;
}

bool is_option(const char *const *list, const char *program, const char *word)
{
	for (; *list; list++) {
		const char *option = behind_program(*list, program);
		if (option && strcmp(option, word) == 0)
			return true;
	}
	return false;
}

/* `-xC`: letters of one word. The first letter with a value ends the word. A letter whose value must be in the same word
 * (`make -j4`) is listed as `-j?`. */
static enum option_kind kind_of_letters(const struct options *options, const char *program, const char *word)
{
	for (size_t i = 1; word[i]; i++) {
		const char letter[] = { '-', word[i], '\0' };
		if (is_option(options->global_ends, program, letter))
			return ENDS;
		if (is_option(options->global_values, program, letter))
			return word[i + 1] ? ALONE : WITH_VALUE;
		const char optional[] = { '-', word[i], '?', '\0' };
		if (is_option(options->global_flags, program, optional))
			return ALONE;
		if (!is_option(options->global_flags, program, letter))
			return UNKNOWN;
	}
	return ALONE;
}

enum option_kind kind_of_option(const struct options *options, const char *program, const char *word)
{
	if (is_option(options->global_ends, program, word))
		return ENDS;
	if (strchr(word, '='))
		return ALONE;
	if (is_option(options->global_values, program, word))
		return WITH_VALUE;
	if (is_option(options->global_flags, program, word))
		return ALONE;
	return word[1] == '-' ? UNKNOWN : kind_of_letters(options, program, word);
}

int find_operands(const struct options *options, const struct command *command, const char *program, size_t first,
		  size_t operands[OPERANDS_MAX])
{
	bool here = true, next = false, after = false; /* can the word be reached: this one, the next two */
	bool known = has_list(options->global_flags, program) || has_list(options->global_values, program);
	bool plus = is_option(options->global_flags, program, "-");
	int found = 0;

	for (size_t at = first; at < command->count; at++, here = next, next = after, after = false) {
		const char *word = command->words[at];
		if (!here)
			continue;
		bool ends = strcmp(word, "--") == 0 || (plus && strcmp(word, "-") == 0);
		if (plus && word[0] == '+' && word[1] != '\0') {
			next = after = true;
			continue;
		}
		if (ends || word[0] != '-' || word[1] == '\0') {
			if (found == OPERANDS_MAX)
				return -E2BIG;
			operands[found++] = at + ends;
			continue;
		}
		enum option_kind kind = known ? kind_of_option(options, program, word) : ALONE;
		next = next || kind == UNKNOWN || kind == ALONE;
		after = kind == UNKNOWN || kind == WITH_VALUE;
	}
	return found;
}
