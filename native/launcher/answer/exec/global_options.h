/* Words between a program and its subcommand: `git -C . push` is `git push`. */
#ifndef ION_GLOBAL_OPTIONS_H
#define ION_GLOBAL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "answer/exec/executions.h"
#include "options/options.h"

#define OPERANDS_MAX 64

/* The effect of an option on the next word. After an option that ENDS, no operand follows (`sh -c code`). */
enum option_kind { UNKNOWN, ALONE, WITH_VALUE, ENDS };

enum option_kind kind_of_option(const struct options *options, const char *program, const char *word);

/* Whether `word` is an option that `list` has for `program`. */
bool is_option(const char *const *list, const char *program, const char *word);

/* `push *` of "git push *" and "git". NULL when the entry, an option or a pattern, belongs to another program. */
const char *behind_program(const char *entry, const char *program);

/* Writes to `operands` the possible positions of the first operand, from word `first` on. There is more than one after an option
 * that the lists do not contain, because it may take a value or not. If a program is in neither list, its options take no value. A
 * program with an option "-" also has options that begin with a plus, as shells do. Returns their number, or -E2BIG. */
int find_operands(const struct options *options, const struct command *command, const char *program, size_t first,
		  size_t operands[OPERANDS_MAX]);

#endif
