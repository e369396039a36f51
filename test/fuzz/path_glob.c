/* Compares pattern_reach with the definition, implemented as plainly as possible. */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../native/launcher/base/path_pattern.h"

#define MOST 80

struct part {
	const char *at;
	size_t length;
};

static size_t take_apart(const char *path, struct part *parts)
{
	size_t count = 0;

	for (path += strspn(path, "/"); *path; path += strspn(path, "/")) {
		parts[count++] = (struct part){ path, strcspn(path, "/") };
		path += strcspn(path, "/");
	}
	return count;
}

static char lower(char letter)
{
	return letter >= 'A' && letter <= 'Z' ? letter + 32 : letter;
}

static bool in_set(const char *at, size_t length, char letter)
{
	for (size_t i = 0; i < length; i++) {
		bool range = i + 2 < length && at[i + 1] == '-';
		if (lower(at[i]) <= letter && letter <= lower(at[range ? i + 2 : i]))
			return true;
		i += range ? 2 : 0;
	}
	return false;
}

static struct part behind(struct part part, size_t length)
{
	return (struct part){ part.at + length, part.length - length };
}

static bool matches(struct part glob, struct part text)
{
	if (glob.length == 0)
		return text.length == 0;
	if (glob.at[0] == '*')
		return matches(behind(glob, 1), text) || (text.length > 0 && matches(glob, behind(text, 1)));
	if (glob.at[0] == '?')
		return text.length > 0 && matches(behind(glob, 1), behind(text, 1));
	const char *close = glob.at[0] == '[' ? memchr(glob.at, ']', glob.length) : NULL;
	if (close) {
		size_t length = (size_t)(close - glob.at);
		size_t from = glob.at[1] == '^' ? 2 : 1;
		return text.length > 0 && in_set(glob.at + from, length - from, lower(text.at[0])) == (from == 1) &&
		       matches(behind(glob, length + 1), behind(text, 1));
	}
	size_t escape = glob.at[0] == '\\' && glob.length > 1;
	return text.length > 0 && lower(glob.at[escape]) == lower(text.at[0]) &&
	       matches(behind(glob, 1 + escape), behind(text, 1));
}

/* taken[i][j]: whether the first i components of the pattern match the first j of the path. */
static uint64_t plainly(const char *pattern, const char *path)
{
	static bool taken[MOST + 1][MOST + 1];
	struct part parts[MOST], names[MOST];
	size_t patterns = take_apart(pattern, parts), paths = take_apart(path, names);
	uint64_t reach = 0;

	for (size_t j = 0; j <= paths; j++) {
		reach = 0;
		for (size_t i = 0; i <= patterns; i++) {
			bool any = i > 0 && parts[i - 1].length == 2 && memcmp(parts[i - 1].at, "**", 2) == 0;
			if (i == 0)
				taken[i][j] = j == 0;
			else if (any)
				taken[i][j] = taken[i - 1][j] || (j > 0 && taken[i][j - 1]);
			else
				taken[i][j] = j > 0 && taken[i - 1][j - 1] && matches(parts[i - 1], names[j - 1]);
			reach |= taken[i][j] ? 1ull << i : 0;
		}
		if (reach & (1ull << patterns))
			return reach;
	}
	return reach;
}

/* Few stars, because the plain implementation is exponential. Sets only as ion accepts them. */
static bool is_usual(const char *pattern)
{
	size_t stars = 0;
	bool set = false;

	for (const char *at = pattern; *at; at++) {
		stars += *at == '*';
		set = *at == '[' ? true : *at == ']' || *at == '/' ? false : set;
		bool plain = (lower(*at) >= 'a' && lower(*at) <= 'z') || (*at >= '0' && *at <= '9') || strchr("_.-[^", *at);
		if (set && !plain)
			return false;
	}
	return stars <= 4;
}

/* The input: the pattern, a line break, the path. Only ASCII is compared; any bytes must be read safely. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool ascii = true;

	if (size > MOST || memchr(data, 0, size) || !memchr(data, '\n', size))
		return 0;
	for (size_t i = 0; i < size; i++)
		ascii = ascii && data[i] < 0x80;
	size_t cut = (size_t)((const uint8_t *)memchr(data, '\n', size) - data);
	char *pattern = strndup((const char *)data, cut);
	char *path = strndup((const char *)data + cut + 1, size - cut - 1);
	uint64_t reach = pattern_reach(pattern, path);
	assert((pattern_end(pattern) & (pattern_end(pattern) - 1)) == 0);
	if (ascii && is_usual(pattern)) {
		/* Compared are: whether anything at or below the path can match, and whether the path itself matches. */
		uint64_t plain = plainly(pattern, path), end = pattern_end(pattern);
		assert((reach == 0) == (plain == 0) && (reach & end) == (plain & end));
	}
	free(pattern);
	free(path);
	return 0;
}
