/* Reads glob, NUL, text, NUL, ... from standard input. Prints 1 or 0 for each pair. */
#include <stdio.h>
#include <string.h>

#include "../../native/launcher/base/command_pattern.h"

int main(void)
{
	static char input[1 << 20];
	size_t size = fread(input, 1, sizeof(input) - 1, stdin);

	for (char *glob = input; glob < input + size;) {
		char *text = glob + strlen(glob) + 1;
		putchar(glob_matches(glob, text) ? '1' : '0');
		glob = text + strlen(text) + 1;
	}
	return 0;
}
