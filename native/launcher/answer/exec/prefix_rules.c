#include "answer/exec/prefix_rules.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_entry(const char *entry)
{
	return (*entry == '0' || *entry == '1') && (entry[1] == 'd' || entry[1] == 'p') && entry[2] == ' ' && entry[3];
}

const char *rule_prefix(const char *entry)
{
	return entry + 3;
}

int arrange_prefix_rules(const char *const *entries, struct prefix_rules *rules)
{
	size_t count = 0;

	for (; entries[count]; count++)
		if (!is_entry(entries[count]))
			return -EINVAL;
	*rules = (struct prefix_rules){ .entries = entries, .next = calloc(count + 1, sizeof(*rules->next)) };
	if (!rules->next)
		return -ENOMEM;
	/* Adds from the end, so that each chain ascends. */
	for (size_t i = count; i > 0; i--) {
		size_t *chain = &rules->chains[chain_of_first_word(rule_prefix(entries[i - 1]))];
		rules->next[i - 1] = *chain;
		*chain = i;
	}
	return 0;
}

static bool begins_with_words(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(text, prefix, length) == 0 && (text[length] == '\0' || text[length] == ' ');
}

size_t find_prefix_rule(const struct prefix_rules *rules, int group, char effect, const char *text)
{
	size_t at = rules->chains[chain_of_first_word(text)];

	for (; at; at = rules->next[at - 1]) {
		const char *entry = rules->entries[at - 1];
		if (entry[0] == '0' + group && entry[1] == effect && begins_with_words(text, rule_prefix(entry)))
			return at - 1;
	}
	return NO_RULE;
}
