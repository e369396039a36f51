#include "base/path_pattern.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A component, without its slash. */
struct name {
	const char *at, *end;
};

static bool next_name(const char **path, struct name *name)
{
	while (**path == '/')
		(*path)++;
	name->at = *path;
	while (**path && **path != '/')
		(*path)++;
	name->end = *path;
	return name->at < name->end;
}

static unsigned char folded(char character)
{
	unsigned char byte = (unsigned char)character;

	return byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte;
}

/* A byte that is not UTF-8 counts as one character, so that every name has an end. */
static const char *next_character(const char *text, const char *end)
{
	text++;
	while (text < end && ((unsigned char)*text & 0xc0) == 0x80)
		text++;
	return text;
}

static const char *set_end(struct name pattern)
{
	return memchr(pattern.at, ']', (size_t)(pattern.end - pattern.at));
}

/* `at` is behind "[" or "[^". ion has checked that it contains only ASCII letters, digits, "_", "." and "-". */
static bool is_in_set(const char *at, const char *end, unsigned char character)
{
	for (; at < end; at++) {
		bool range = at + 2 < end && at[1] == '-';
		if (folded(at[0]) <= character && character <= folded(range ? at[2] : at[0]))
			return true;
		if (range)
			at += 2;
	}
	return false;
}

/* One part of the pattern other than a star, against the beginning of the text. Both advance when it matches. */
static bool take_one(struct name *pattern, struct name *text)
{
	const char *close = *pattern->at == '[' ? set_end(*pattern) : NULL;

	if (pattern->at == pattern->end || text->at == text->end)
		return false;
	if (*pattern->at == '?') {
		pattern->at++;
		text->at = next_character(text->at, text->end);
		return true;
	}
	if (close) {
		bool negated = pattern->at[1] == '^';
		if (is_in_set(pattern->at + (negated ? 2 : 1), close, folded(*text->at)) == negated)
			return false;
		pattern->at = close + 1;
		text->at = next_character(text->at, text->end);
		return true;
	}
	const char *literal = *pattern->at == '\\' && pattern->at + 1 < pattern->end ? pattern->at + 1 : pattern->at;
	if (folded(*literal) != folded(*text->at))
		return false;
	pattern->at = literal + 1;
	text->at++;
	return true;
}

static bool matches_name(struct name pattern, struct name text)
{
	struct name after_star = { NULL, NULL };
	const char *retry = NULL;

	while (text.at < text.end) {
		if (pattern.at < pattern.end && *pattern.at == '*') {
			pattern.at++;
			after_star = pattern;
			retry = text.at;
		} else if (!take_one(&pattern, &text)) {
			if (!after_star.at)
				return false;
			/* Only the last star must be tried again, because every earlier one has matched as little as possible. */
			pattern = after_star;
			text.at = retry = next_character(retry, text.end);
		}
	}
	while (pattern.at < pattern.end && *pattern.at == '*')
		pattern.at++;
	return pattern.at == pattern.end;
}

static bool is_any_depth(struct name name)
{
	return name.end - name.at == 2 && name.at[0] == '*' && name.at[1] == '*';
}

/* `reach` after one more component of a path, or with NULL before the first one: for `**` that matches no component. */
static uint64_t step(const char *pattern, uint64_t reach, const struct name *name)
{
	uint64_t next = name ? 0 : reach;
	struct name part;

	for (unsigned at = 0; at < PATTERN_COMPONENTS_MAX && next_name(&pattern, &part); at++) {
		uint64_t here = 1ull << at;
		bool any = is_any_depth(part);
		if (name && (reach & here))
			next |= any ? here : matches_name(part, *name) ? here << 1 : 0;
		if (any && (next & here))
			next |= here << 1;
	}
	return next;
}

uint64_t pattern_reach(const char *pattern, const char *path)
{
	uint64_t end = pattern_end(pattern), reach = step(pattern, 1, NULL);
	struct name name;

	while (reach && !(reach & end) && next_name(&path, &name))
		reach = step(pattern, reach, &name);
	return reach;
}

uint64_t pattern_end(const char *pattern)
{
	struct name part;
	unsigned count = 0;

	while (count < PATTERN_COMPONENTS_MAX && next_name(&pattern, &part))
		count++;
	return 1ull << count;
}
