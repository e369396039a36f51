/* The words of an execution, shared by the check before it and the check after it. */
#ifndef ION_EXECUTIONS_H
#define ION_EXECUTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "supervise/notify.h"

/* The most words that the kernel accepts, with the pointers to them, under the usual limit of the stack (fs/exec.c: a quarter
 * of 8 MiB). */
#define COMMAND_MAX (2u << 20)
#define WORDS_MAX (COMMAND_MAX / 10)
#define TEXT_MAX (COMMAND_MAX + 2 * PATH_MAX) /* a script's interpreter and its own name are added */

/* The words of one execution. They point into `text`. */
struct command {
	char text[TEXT_MAX];
	size_t length;
	const char *words[WORDS_MAX + 1];
	size_t count;
};

/* Returns false when there is no room. A pattern can still match the words so far. */
bool add_word(struct command *command, const char *word, size_t length);

/* The same in pieces: add `size` bytes to a word that has `length` so far, then end it. */
bool add_to_word(struct command *command, const char *bytes, size_t length, size_t size);
bool end_word(struct command *command, size_t length);

/* `program` and the words from `first` on, joined by blanks, into `text` of COMMAND_MAX bytes. Returns `text`. */
const char *join_words(const struct command *command, const char *program, size_t first, char *text);

#endif
