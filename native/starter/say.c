#define _GNU_SOURCE
#include "say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct line {
	char text[8192];
	size_t length;
};

static void add(struct line *line, const char *text)
{
	size_t length = text ? strlen(text) : 0;

	if (length > sizeof(line->text) - line->length)
		length = sizeof(line->text) - line->length;
	if (length > 0)
		memcpy(line->text + line->length, text, length);
	line->length += length;
}

/* Another program chose this path: it must not move the cursor or begin a line. */
static void add_name(struct line *line, const char *name)
{
	size_t start = line->length;

	add(line, name);
	for (size_t i = start; i < line->length; i++)
		if ((unsigned char)line->text[i] < 0x20 || (unsigned char)line->text[i] >= 0x7f)
			line->text[i] = '?';
}

void give_up(const char *text, const char *name, const char *rest, const char *help)
{
	struct line line = { .length = 0 };

	add(&line, "ion: ");
	add(&line, text);
	if (name) {
		add(&line, " \"");
		add_name(&line, name);
		add(&line, "\"");
	}
	add(&line, rest);
	add(&line, "\n");
	if (help) {
		add(&line, "help: ");
		add(&line, help);
		add(&line, "\n");
	}
	if (write(STDERR_FILENO, line.text, line.length) < 0)
		_exit(EXIT_ION_FAILED);
	_exit(EXIT_ION_FAILED);
}
