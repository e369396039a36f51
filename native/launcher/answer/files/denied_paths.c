#define _GNU_SOURCE
#include "answer/files/denied_paths.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/path_pattern.h"
#include "paths/resolve.h"
#include "report/violations.h"

/* Does a more specific rule allow `path`, which `pattern` denies? */
static bool is_excepted(const struct options *options, const char *pattern, const char *path)
{
	for (size_t i = 0; options->excepted[i]; i++)
		if (strcmp(options->excepted_from[i], pattern) == 0 &&
		    (pattern_reach(options->excepted[i], path) & pattern_end(options->excepted[i])))
			return true;
	return false;
}

static const char *holder_of(const struct options *options, const char *path)
{
	for (size_t i = 0; options->denied[i]; i++)
		if ((pattern_reach(options->denied[i], path) & pattern_end(options->denied[i])) &&
		    !is_excepted(options, options->denied[i], path))
			return options->denied_entries[i];
	return NULL;
}

const char *denied_by(const struct options *options, const char *path, bool exists)
{
	char text[PATH_MAX];
	const char *entry = exists ? holder_of(options, path) : NULL;
	size_t length = entry ? 0 : length_of_gone(path);

	if (!length)
		return entry;
	snprintf(text, sizeof(text), "%.*s", (int)length, path);
	return holder_of(options, text);
}

int refuse_denied(const struct call *call, const char *kind, const char *entry, const char *path)
{
	struct violation violation = { kind, call->name, "denied-path", path, entry };

	report_violation(call, &violation);
	return -EACCES;
}

/* Could a file below `from` be denied, but not be denied at its new place? */
static bool frees(const struct options *options, const char *from, const char *to)
{
	for (const char *const *pattern = options->denied; *pattern; pattern++) {
		uint64_t after = pattern_reach(*pattern, to);
		if (!(after & pattern_end(*pattern)) && (pattern_reach(*pattern, from) & ~after))
			return true;
	}
	return false;
}

int answer_denied_move(const struct call *call, const char *from, const char *to)
{
	const struct options *options = call->watch->options;
	const char *entry = denied_by(options, from, true);

	if (entry)
		return refuse_denied(call, "write", entry, from);
	return frees(options, from, to) && is_folder(&call->task, from) ? -EXDEV : CONTINUE;
}
