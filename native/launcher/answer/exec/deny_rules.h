/* deny_commands globs, arranged so that an execution is compared only with those that its first word can match. */
#ifndef ION_DENY_RULES_H
#define ION_DENY_RULES_H

#include <stddef.h>

#define DENY_CHAINS 4096

struct deny_rules {
	const char *const *patterns; /* in the user's order, NULL-terminated */
	/* Chains of positions in `patterns`, ascending. Each entry is the position plus one; 0 ends a chain. */
	size_t *next;
	size_t any;                 /* chain of the patterns with a wildcard in their first word */
	size_t chains[DENY_CHAINS]; /* of the others, by the hash of that word */
};

/* The chain of the text's first word. */
size_t chain_of_first_word(const char *text);

/* Arrange `patterns`, which stay the caller's. Returns 0 or -ENOMEM. */
int arrange_deny_rules(const char *const *patterns, struct deny_rules *rules);

/* The first pattern that denies `text`, a command's words joined by blanks; NULL when none does. */
const char *find_deny_rule(const struct deny_rules *rules, const char *text);

#endif
