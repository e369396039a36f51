#define _GNU_SOURCE
#include "paths/same_name.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static const struct {
	uint32_t first, last;
} ignored[] = {
	/* Unicode: Default_Ignorable_Code_Point, which casefolding removes (Linux: fs/unicode, utf8nfdicf). */
	{ 0xad, 0xad },	    { 0x34f, 0x34f },	{ 0x61c, 0x61c },   { 0x115f, 0x1160 }, { 0x17b4, 0x17b5 },   { 0x180b, 0x180f },
	{ 0x200b, 0x200f }, { 0x202a, 0x202e }, { 0x2060, 0x206f }, { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },
	{ 0xffa0, 0xffa0 }, { 0xfff0, 0xfff8 }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
};

static bool is_ignored(uint32_t code)
{
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		if (code >= ignored[i].first && code <= ignored[i].last)
			return true;
	return false;
}

/* The code point at `at`, of `bytes`. Invalid UTF-8 stands for itself, byte by byte. */
static uint32_t decode(const char *at, size_t *bytes)
{
	const unsigned char first = (unsigned char)*at;
	const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
	uint32_t code = length == 1 ? first : first & (0x7fu >> length);

	*bytes = 1;
	for (size_t i = 1; i < length; i++) {
		if (((unsigned char)at[i] & 0xc0) != 0x80)
			return first;
		code = code << 6 | ((unsigned char)at[i] & 0x3f);
	}
	*bytes = length;
	return code;
}

static bool ends_name(char c)
{
	return c == '\0' || c == '/';
}

/* The ASCII text that casefolding makes of a character, or NULL. These are all of them (CaseFolding with statuses C and F,
 * and canonical decompositions). */
static const char *ascii_of(uint32_t code)
{
	switch (code) {
	case 0xdf: /* sharp s */
	case 0x1e9e: return "ss";
	case 0x17f: return "s"; /* long s */
	case 0x37e: return ";"; /* Greek question mark */
	case 0x1fef: return "`"; /* Greek varia */
	case 0x212a: return "k"; /* Kelvin sign */
	case 0xfb00: return "ff"; /* ligatures */
	case 0xfb01: return "fi";
	case 0xfb02: return "fl";
	case 0xfb03: return "ffi";
	case 0xfb04: return "ffl";
	case 0xfb05:
	case 0xfb06: return "st";
	default: return NULL;
	}
}

/* A place in a name, and what is left of the character before it. */
struct reader {
	const char *at, *rest;
};

/* The next character in the form in which it is compared; 0 at the end of the name. */
static uint32_t next_folded(struct reader *reader)
{
	for (;;) {
		if (*reader->rest)
			return (uint32_t)*reader->rest++;
		size_t bytes, tail = strspn(reader->at, ". ");
		if (ends_name(reader->at[tail])) {
			reader->at += tail;
			return 0;
		}
		uint32_t code = decode(reader->at, &bytes);
		reader->at += bytes;
		const char *ascii = ascii_of(code);
		if (ascii)
			reader->rest = ascii;
		else if (!is_ignored(code))
			return code < 0x80 ? (uint32_t)tolower((int)code) : code;
	}
}

static bool folds_to(const char **name, const char **entry)
{
	struct reader one = { *name, "" }, other = { *entry, "" };
	uint32_t a, b;

	do {
		a = next_folded(&one);
		b = next_folded(&other);
	} while (a == b && a != 0);
	*name = one.at;
	*entry = other.at;
	return a == b;
}

bool is_unclear(const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)name[i] >= 0x80 || (name[i] == '~' && i + 1 < length && isdigit((unsigned char)name[i + 1])))
			return true;
	return false;
}

/* Goes to the first byte that differs, then back to the start of that name. */
static size_t same_names(const char *a, const char *b)
{
	size_t same = 0, start = 0;

	for (; a[same] && a[same] == b[same]; same++)
		if (a[same] == '/')
			start = same + 1;
	return start;
}

enum spelling spelling_of(const char *path, const char *entry, size_t *length)
{
	size_t start = same_names(path, entry);
	enum spelling spelling = FOLDED;

	/* Equal byte for byte: the other lists cover it. */
	if (strncmp(path + start, entry + start, strlen(entry + start)) == 0 && ends_name(path[strlen(entry)]))
		return ANOTHER;
	for (const char *at = path + start, *wanted = entry + start;; at++, wanted++) {
		const char *name = at, *other = wanted;
		if (!folds_to(&at, &wanted)) {
			if (!is_unclear(name, strcspn(name, "/")))
				return ANOTHER;
			spelling = UNCLEAR;
			at = name + strcspn(name, "/");
			wanted = other + strcspn(other, "/");
		}
		*length = (size_t)(at - path);
		if (*wanted == '\0')
			return spelling;
		if (*at == '\0')
			return ANOTHER;
	}
}

bool folds_alike(const char *name, const char *wanted)
{
	return folds_to(&name, &wanted);
}

bool changes_number(int folder, const char *path, const struct stat *before)
{
	struct statx now;

	return statx(folder, path, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW | AT_STATX_FORCE_SYNC, STATX_INO, &now) == 0 &&
	       makedev(now.stx_dev_major, now.stx_dev_minor) == before->st_dev && now.stx_ino != before->st_ino;
}

bool is_same_file(const char *a, const char *b)
{
	struct stat one, other;

	if (lstat(a, &one) < 0 || lstat(b, &other) < 0 || one.st_dev != other.st_dev)
		return false;
	return one.st_ino == other.st_ino || changes_number(AT_FDCWD, a, &one) || changes_number(AT_FDCWD, b, &other);
}

bool spells_otherwise(const char *path, const char *entry, bool below)
{
	char start[PATH_MAX];
	size_t length;
	enum spelling spelling = spelling_of(path, entry, &length);

	if (spelling == ANOTHER || (path[length] != '\0' && !below))
		return false;
	snprintf(start, sizeof(start), "%.*s", (int)length, path);
	return (spelling == FOLDED && access(entry, F_OK) < 0) || is_same_file(start, entry);
}

bool plain_spelling(const char *path, char *plain)
{
	const char *at = path;
	char *to = plain;

	while (*at) {
		size_t bytes, tail = strspn(at, ". ");
		if (tail && ends_name(at[tail]) && at != path && at[-1] != '/') {
			at += tail;
			continue;
		}
		uint32_t code = decode(at, &bytes);
		const char *ascii = ascii_of(code);
		if (ascii)
			to = stpcpy(to, ascii);
		else if (!is_ignored(code))
			to = mempcpy(to, at, bytes);
		at += bytes;
	}
	*to = '\0';
	return strcmp(path, plain) != 0;
}
