#define _GNU_SOURCE
#include "answer/exec/name_rules.h"

#include <limits.h>
#include <stdio.h>

#include "answer/exec/global_options.h"
#include "answer/exec/room.h"

void deny(struct look *look, const char *rule, const char *detail)
{
	if (!look->found.rule)
		look->found = (struct denial){ rule, detail };
}

/* `text` is one spelling of a command. */
static void compare(struct look *look, const char *text, struct standing *standing)
{
	const struct watch *watch = look->call->watch;
	const char *pattern = find_deny_rule(&watch->deny, text);

	if (pattern)
		deny(look, "denied-command", pattern);
	for (int group = 0; group < RULE_GROUPS; group++) {
		size_t rule = find_prefix_rule(&watch->rules, group, 'd', text);
		if (rule < standing->denying[group])
			standing->denying[group] = rule;
	}
}

/* For a command that cannot be analysed: every rule about the program counts. */
static void compare_any(struct look *look, const char *program, struct standing *standing)
{
	const struct options *options = look->call->watch->options;

	for (const char *const *pattern = options->deny; *pattern; pattern++)
		if (behind_program(*pattern, program))
			deny(look, "denied-command", *pattern);
	for (size_t i = 0; options->rules[i]; i++) {
		size_t *denying = &standing->denying[options->rules[i][0] - '0'];
		if (options->rules[i][1] == 'd' && i < *denying && behind_program(rule_prefix(options->rules[i]), program))
			*denying = i;
	}
}

/* `program` with the words from `first` on, without the options before its subcommand. */
static void compare_program(struct look *look, const char *program, size_t first, struct standing *standing)
{
	char *text = look->call->room->text;
	const struct options *options = look->call->watch->options;
	size_t operands[OPERANDS_MAX];

	compare(look, join_words(look->command, program, first, text), standing);
	if (word_at(look, first)[0] != '-')
		return;
	int count = find_operands(options, look->command, base_name(program), first, operands);
	if (count < 0)
		compare_any(look, base_name(program), standing);
	for (int i = 0; i < count; i++)
		compare(look, join_words(look->command, program, operands[i], text), standing);
}

/* `git-push`, a separate program or git under that name, is `git push`. `git-push.sh` is a user's script. */
void compare_name(struct look *look, const char *name, size_t first, struct standing *standing)
{
	char as_git[PATH_MAX];

	compare_program(look, name, first, standing);
	if (strncmp(base_name(name), "git-", 4) != 0 || strchr(base_name(name), '.'))
		return;
	snprintf(as_git, sizeof(as_git), "git %s", base_name(name) + 4);
	compare_program(look, as_git, first, standing);
}

void weigh(const struct look *look, const char *name, size_t first, struct standing *standing)
{
	char *text = look->call->room->text;

	for (int group = 0; group < RULE_GROUPS; group++) {
		if (standing->denying[group] == NO_RULE)
			continue;
		join_words(look->command, name, first, text);
		if (find_prefix_rule(&look->call->watch->rules, group, 'p', text) < standing->denying[group])
			standing->denying[group] = NO_RULE;
	}
}
