/* Reads the number of patterns, the patterns, and texts from standard input, each ended by NUL. Prints one line per text:
 * the index of the first pattern that denies it, or -. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../native/launcher/answer/exec/deny_rules.h"

int main(void)
{
	static char input[16 << 20];
	static const char *patterns[20000];
	static struct deny_rules rules;
	size_t size = fread(input, 1, sizeof(input) - 1, stdin);
	char *text = input + strlen(input) + 1;

	for (int i = 0; i < atoi(input); i++, text += strlen(text) + 1)
		patterns[i] = text;
	if (arrange_deny_rules(patterns, &rules) < 0)
		return 1;
	for (; text < input + size; text += strlen(text) + 1) {
		const char *found = find_deny_rule(&rules, text);
		size_t at = 0;
		while (found && patterns[at] != found)
			at++;
		found ? printf("%zu\n", at) : puts("-");
	}
	return 0;
}
