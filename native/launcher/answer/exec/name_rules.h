/* Compares one name of a program, and its words, with deny_commands and the rules. */
#ifndef ION_NAME_RULES_H
#define ION_NAME_RULES_H

#include <string.h>

#include "answer/exec/denials.h"
#include "answer/exec/prefix_rules.h"
#include "supervise/notify.h"

/* The state while one execution is checked. */
struct look {
	const struct call *call;
	const struct command *command;
	int fd;          /* the file that is executed, or -1 */
	int depth;       /* programs inside programs */
	struct denial found;
};

/* The strongest rule that denies one name, by group. */
struct standing {
	size_t denying[RULE_GROUPS];
};

static inline const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static inline const char *word_at(const struct look *look, size_t at)
{
	return at < look->command->count ? look->command->words[at] : "";
}

/* The first denial stays. */
void deny(struct look *look, const char *rule, const char *detail);

/* deny_commands that match are denials at once. Rules that deny are added to `standing`. The arguments start at `first`. */
void compare_name(struct look *look, const char *name, size_t first, struct standing *standing);

/* Drop a deny rule if an allow rule outweighs it for the name that it was written for, and its arguments from `first` on. */
void weigh(const struct look *look, const char *name, size_t first, struct standing *standing);

#endif
