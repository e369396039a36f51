/* Compares glob_matches with the definition, implemented as plainly as possible. */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../../native/launcher/base/command_pattern.h"

#define MOST 200

static size_t character(const char *text)
{
	size_t length = 1;

	while (((unsigned char)text[length] & 0xc0) == 0x80)
		length++;
	return length;
}

/* matches[i]: whether the rest of the glob matches the text from i on. */
static bool plainly(const char *glob, const char *text)
{
	static bool table[MOST + 1][MOST + 1];
	size_t globs = strlen(glob), texts = strlen(text);

	for (size_t g = globs + 1; g-- > 0;) {
		for (size_t t = texts + 1; t-- > 0;) {
			if (g == globs)
				table[g][t] = t == texts;
			else if (glob[g] == '*')
				table[g][t] = table[g + 1][t] || (t < texts && table[g][t + character(text + t)]);
			else if (t == texts)
				table[g][t] = false;
			else if (glob[g] == '?')
				table[g][t] = table[g + 1][t + character(text + t)];
			else
				table[g][t] = glob[g] == text[t] && table[g + 1][t + 1];
		}
	}
	return table[0][0];
}

/* The input: the glob, a line break, the text. ASCII only: for invalid UTF-8 the two may count characters differently. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char input[MOST + 1];
	size_t length = 0;

	for (; length < size && length < MOST; length++) {
		if (data[length] == 0 || data[length] >= 0x80)
			return 0;
		input[length] = (char)data[length];
	}
	input[length] = '\0';
	char *text = strchr(input, '\n');
	if (!text)
		return 0;
	*text++ = '\0';
	assert(glob_matches(input, text) == plainly(input, text));
	return 0;
}
