#include "base/command_pattern.h"

#include <stddef.h>

/* The next code point; a byte that is not UTF-8 counts as one, so that every text has an end. */
static const char *next_character(const char *text)
{
	text++;
	while (((unsigned char)*text & 0xc0) == 0x80)
		text++;
	return text;
}

bool glob_matches(const char *glob, const char *text)
{
	const char *after_star = NULL, *retry = NULL;

	while (*text) {
		if (*glob == '*') {
			after_star = ++glob;
			retry = text;
		} else if (*glob == '?') {
			glob++;
			text = next_character(text);
		} else if (*glob == *text) {
			glob++;
			text++;
		} else if (after_star) {
			/* Only the last star must be tried again, because every earlier one has matched as little as possible. */
			glob = after_star;
			text = retry = next_character(retry);
		} else {
			return false;
		}
	}
	while (*glob == '*')
		glob++;
	return *glob == '\0';
}
