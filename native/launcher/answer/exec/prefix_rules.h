/* [[permissions.rules]] of scope command_prefix. ion orders them so that the first match wins. Trusted rules and the rules of an
 * untrusted project are two groups. A refusal by either group counts. */
#ifndef ION_PREFIX_RULES_H
#define ION_PREFIX_RULES_H

#include <stddef.h>

#include "answer/exec/deny_rules.h"

#define RULE_GROUPS 2
#define NO_RULE ((size_t)-1)

/* An entry is the group, `d` for a deny rule or `p` for an allow rule, a blank, and the prefix: "0d git push". */
struct prefix_rules {
	const char *const *entries;
	size_t *next;
	size_t chains[DENY_CHAINS];
};

/* Arrange `entries`, which stay the caller's. Returns 0, -EINVAL or -ENOMEM. */
int arrange_prefix_rules(const char *const *entries, struct prefix_rules *rules);

/* The position of the first rule of `group` and `effect` whose prefix `text` begins with, as whole words; or NO_RULE. */
size_t find_prefix_rule(const struct prefix_rules *rules, int group, char effect, const char *text);

/* The prefix of an entry. */
const char *rule_prefix(const char *entry);

#endif
