/* Programs that run another one without executing it: interpreters and multi-call programs. ion sends the tables;
 * src/shell/nested/interpreters.ts has them for texts as well. */
#ifndef ION_INTERPRETERS_H
#define ION_INTERPRETERS_H

#include <stdbool.h>
#include <stddef.h>

#include "answer/exec/executions.h"
#include "options/options.h"

/* The kind of the interpreter `name`, without folders: "@python" for "python3.11". NULL if it has none. Stores the kind in
 * `kind`. */
#define KIND_MAX 64
const char *interpreter_kind(const struct options *options, const char *name, char kind[KIND_MAX]);

/* The next module that a word from `*at` on names (`-m pip`, `-Impip`). Sets `*at` to the start of its arguments. NULL when
 * there are no more. `inside`: a module was found before. A module may run another one (`-m cProfile -m pip`), a script does
 * not. */
const char *next_module(const struct options *options, const struct command *command, const char *kind, bool inside,
			size_t *at);

/* The program that `module` stands for, by a row of the table, rows counted from 0. NULL behind the last. A module without a
 * row is a program of its own name. */
const char *program_of_module(const struct options *options, const char *kind, const char *module, size_t row);

/* The row of the multi-call program `name` ("busybox.static" too), or NULL. */
const char *multi_call_row(const struct options *options, const char *name);

/* Whether `name` is one of the row's shells. */
bool is_shell_of(const char *row, const char *name);

#endif
