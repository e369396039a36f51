/* Reads pattern, NUL, path, NUL, ... from standard input. Prints for each pair: 1 if the path is denied, + if a path below
 * it could be, otherwise 0. */
#include <stdio.h>
#include <string.h>

#include "../../native/launcher/base/path_pattern.h"

int main(void)
{
	static char input[4 << 20];
	size_t size = fread(input, 1, sizeof(input) - 1, stdin);

	for (char *pattern = input; pattern < input + size;) {
		char *path = pattern + strlen(pattern) + 1;
		uint64_t reach = pattern_reach(pattern, path);
		putchar(reach & pattern_end(pattern) ? '1' : reach ? '+' : '0');
		pattern = path + strlen(path) + 1;
	}
	return 0;
}
