#define _GNU_SOURCE
#include "answer/files/denied_paths.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answer/files/denied_places.h"
#include "base/path_list.h"
#include "base/path_pattern.h"
#include "paths/listed_names.h"
#include "paths/resolve.h"
#include "paths/same_name.h"
#include "report/violations.h"

/* Whether a more specific rule allows `path`, although `pattern` denies it. */
static bool is_excepted(const struct options *options, const char *pattern, const char *path)
{
	for (size_t i = 0; options->excepted[i]; i++)
		if (strcmp(options->excepted_from[i], pattern) == 0 &&
		    (pattern_reach(options->excepted[i], path) & pattern_end(options->excepted[i])))
			return true;
	return false;
}

static const char *holder_as_written(const struct options *options, const char *path, bool places)
{
	char place[PATH_MAX];

	for (size_t i = 0; options->denied[i]; i++)
		if ((pattern_reach(options->denied[i], path) & pattern_end(options->denied[i])) &&
		    (!places || is_place(options->denied[i], place)) &&
		    !is_excepted(options, options->denied[i], path))
			return options->denied_entries[i];
	return NULL;
}

/* Whether `path` calls a denied place by another name, such as `SECRET~1`. */
static const char *holder_of_unclear(const struct options *options, const char *path)
{
	char place[PATH_MAX];

	for (size_t i = 0; options->denied[i]; i++)
		if (is_place(options->denied[i], place) && spells_otherwise(path, place, true) &&
		    !is_excepted(options, options->denied[i], path))
			return options->denied_entries[i];
	return NULL;
}

/* The patterns ignore case. Other parts of a name that some file systems ignore count if `path` without them is the same file. A
 * missing file counts as the same. */
static const char *holder_of_spelling(const struct options *options, const char *path, bool places)
{
	char plain[PATH_MAX];
	const char *entry = holder_as_written(options, path, places);

	if (!entry && plain_spelling(path, plain) && (entry = holder_as_written(options, plain, places)) &&
	    !is_same_file(path, plain) && (!places || access(plain, F_OK) == 0))
		entry = NULL;
	return entry;
}

struct listed {
	const struct options *options;
	const char *entry;
};

static bool holds_listed(const char *path, void *argument)
{
	struct listed *listed = argument;

	listed->entry = holder_of_spelling(listed->options, path, false);
	return listed->entry;
}

/* A wildcard means the name that the folder lists (`*.secret`). The file may have others as well (`KEY~1.SEC`). */
static const char *holder_of_listed(const struct options *options, const char *path)
{
	struct listed listed = { options, NULL };

	(void)visit_listed_names(path, holds_listed, &listed);
	return listed.entry;
}

static const char *holder_of(const struct options *options, const char *path, bool places)
{
	const char *entry = holder_of_spelling(options, path, places);

	if (!entry && is_unclear(path, strlen(path)) && options->denied[0]) {
		entry = holder_of_unclear(options, path);
		if (!entry && !places)
			entry = holder_of_listed(options, path);
	}
	return entry ? entry : place_by_link(options, path);
}

const char *denied_place(const struct options *options, const char *path)
{
	return holder_of(options, path, true);
}

const char *denied_by(const struct options *options, const char *path, bool exists)
{
	char text[PATH_MAX];
	const char *entry = exists ? holder_of(options, path, false) : NULL;
	size_t length = entry ? 0 : length_of_gone(path);

	if (!length)
		return entry;
	snprintf(text, sizeof(text), "%.*s", (int)length, path);
	return holder_of(options, text, false);
}

int refuse_denied(const struct call *call, const char *kind, const char *entry, const char *path)
{
	struct violation violation = { kind, call->name, "denied-path", path, entry };

	report_violation(call, &violation);
	return -EACCES;
}

/* Whether a file below `from` may be denied now, but not at its new place. */
static bool frees(const struct options *options, const char *from, const char *to)
{
	for (const char *const *pattern = options->denied; *pattern; pattern++) {
		uint64_t after = pattern_reach(*pattern, to);
		if (!(after & pattern_end(*pattern)) && (pattern_reach(*pattern, from) & ~after))
			return true;
	}
	return false;
}

/* Whether the folder `from` contains a file whose new place is denied. */
static bool brings(const struct options *options, const char *from, const char *to)
{
	char place[PATH_MAX], path[PATH_MAX];
	const size_t length = strlen(to);
	struct stat info;

	for (const char *const *pattern = options->denied; *pattern; pattern++)
		if (is_place(*pattern, place) && is_within(place, to) && place[length] == '/' &&
		    snprintf(path, sizeof(path), "%s%s", from, place + length) < (int)sizeof(path) && lstat(path, &info) == 0)
			return true;
	return false;
}

struct move {
	const struct options *options;
	const char *to;
};

static bool frees_listed(const char *from, void *argument)
{
	const struct move *move = argument;

	return frees(move->options, from, move->to);
}

int answer_denied_move(const struct call *call, const char *from, const char *to)
{
	const struct options *options = call->watch->options;
	const char *entry = denied_by(options, from, true);
	char source[PATH_MAX], target[PATH_MAX];

	if (entry)
		return refuse_denied(call, "write", entry, from);
	entry = place_below(options, to);
	if (entry && is_link(&call->task, from))
		return refuse_denied(call, "write", entry, to);
	(void)plain_spelling(from, source);
	(void)plain_spelling(to, target);
	struct move move = { options, target };
	if (!frees(options, source, target) && !brings(options, from, target) &&
	    !(options->denied[0] && visit_listed_names(from, frees_listed, &move)))
		return CONTINUE;
	return is_folder(&call->task, from) ? -EXDEV : CONTINUE;
}
