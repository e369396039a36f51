/* What stands between a program and its subcommand: `git -C . push` is `git push`. */
#ifndef ION_GLOBAL_OPTIONS_H
#define ION_GLOBAL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "answer/exec/executions.h"
#include "options/options.h"

#define OPERANDS_MAX 64

/* What an option of a program does with the word behind it; behind one that ENDS there is no operand (`sh -c code`). */
enum option_kind { UNKNOWN, ALONE, WITH_VALUE, ENDS };

enum option_kind kind_of_option(const struct options *options, const char *program, const char *word);

/* Is `word` one of `list`'s options of `program`? */
bool is_option(const char *const *list, const char *program, const char *word);

/* `push *` of "git push *" and "git"; NULL when the entry, an option or a pattern, is of another program. */
const char *behind_program(const char *entry, const char *program);

/* Where, from word `first` on, the first operand may be, in `operands`: there is more than one answer behind an option that the lists do
 * not have, which may take a value as well as none. Of a program that is in neither list options take none. A program with an option
 * "-" has options that begin with a plus too, as shells have. Returns how many there are, or -E2BIG. */
int find_operands(const struct options *options, const struct command *command, const char *program, size_t first,
		  size_t operands[OPERANDS_MAX]);

#endif
