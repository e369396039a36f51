/* Feeds arbitrary bytes to parse_options. It must not crash, and an accepted result must be complete. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../native/launcher/options/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct options options;
	const char *bad = NULL;
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	if (parse_options(text, size, &options, &bad) == 0) {
		assert(size > 0 && text[size - 1] == '\0');
		assert(options.argv[0] && options.argv[0][0] == '/');
		assert(options.cwd);
		for (size_t i = 0; options.deny[i]; i++)
			assert(options.deny[i] >= text && options.deny[i] < text + size);
	} else {
		assert(bad);
	}
	free_options(&options);
	free(text);
	return 0;
}
