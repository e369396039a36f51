/* Runs the launcher's check of a change of a git config as a filter. Standard input: pairs of texts, each preceded by its
 * length as a native 32-bit number. Output: `1` or `0` for each pair. */
#include "../../native/launcher/answer/files/git_change.c"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static char *take(uint32_t *length)
{
	if (fread(length, sizeof(*length), 1, stdin) != 1)
		return NULL;
	char *text = malloc(*length + 1);
	if (!text || fread(text, 1, *length, stdin) != *length)
		exit(1);
	return text;
}

int main(void)
{
	uint32_t base_length, next_length;
	char *base;

	while ((base = take(&base_length))) {
		char *next = take(&next_length);
		putchar(is_plain_change(base, base_length, next, next_length) ? '1' : '0');
		free(base);
		free(next);
	}
	return 0;
}
