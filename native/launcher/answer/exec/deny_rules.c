#include "answer/exec/deny_rules.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/command_pattern.h"

/* FNV-1a. Two words in one chain only cost time; the answer stays right. */
size_t chain_of_first_word(const char *text)
{
	size_t hash = 2166136261u;

	for (; *text && *text != ' '; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash % DENY_CHAINS;
}

static bool has_literal_first_word(const char *pattern)
{
	char end = pattern[strcspn(pattern, " *?")];

	return end == '\0' || end == ' ';
}

int arrange_deny_rules(const char *const *patterns, struct deny_rules *rules)
{
	size_t count = 0;

	while (patterns[count])
		count++;
	*rules = (struct deny_rules){ .patterns = patterns, .next = calloc(count + 1, sizeof(*rules->next)) };
	if (!rules->next)
		return -ENOMEM;
	/* Adds from the end, so that each chain ascends. */
	for (size_t i = count; i > 0; i--) {
		const char *pattern = patterns[i - 1];
		size_t *chain = has_literal_first_word(pattern) ? &rules->chains[chain_of_first_word(pattern)] : &rules->any;
		rules->next[i - 1] = *chain;
		*chain = i;
	}
	return 0;
}

/* `sudo *` also denies plain `sudo`. */
static bool denies(const char *pattern, const char *text)
{
	size_t length = strlen(pattern);

	if (glob_matches(pattern, text))
		return true;
	return length > 2 && strcmp(pattern + length - 2, " *") == 0 && strncmp(pattern, text, length - 2) == 0 &&
	       text[length - 2] == '\0';
}

static size_t first_in_chain(const struct deny_rules *rules, size_t chain, const char *text)
{
	while (chain && !denies(rules->patterns[chain - 1], text))
		chain = rules->next[chain - 1];
	return chain;
}

const char *find_deny_rule(const struct deny_rules *rules, const char *text)
{
	size_t named = first_in_chain(rules, rules->chains[chain_of_first_word(text)], text);
	size_t any = first_in_chain(rules, rules->any, text);

	if (!named && !any)
		return NULL;
	return rules->patterns[(!any || (named && named < any) ? named : any) - 1];
}
