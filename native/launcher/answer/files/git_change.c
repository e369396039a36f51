#define _GNU_SOURCE
#include "answer/files/git_change.h"

#include <ctype.h>
#include <string.h>

struct text {
	const char *at;
	size_t length;
};

/* Sections and names in lower case; `remote` and the like with a subsection. */
static const struct {
	const char *section;
	bool subsection;
	const char *names[8];
} inert[] = {
	{ "remote", true, { "url", "fetch", "pushurl", "prune", NULL } },
	{ "branch", true, { "remote", "merge", "rebase", "description", NULL } },
	{ "submodule", true, { "url", "active", "branch", NULL } },
	{ "user", false, { "name", "email", NULL } },
	{ "core", false, { "bare", "filemode", "ignorecase", "symlinks", "logallrefupdates", NULL } },
};

/* A line that ends in a backslash continues on the next line, so lines are not what they seem. NUL, carriage returns and a
 * last line without an end are left to the real reader too. */
static bool is_made_of_lines(struct text text)
{
	for (size_t i = 0; i < text.length; i++)
		if (text.at[i] == '\0' || text.at[i] == '\r' ||
		    (text.at[i] == '\\' && i + 1 < text.length && text.at[i + 1] == '\n'))
			return false;
	return text.length == 0 || text.at[text.length - 1] == '\n';
}

/* Length of the common start, in whole lines. */
static size_t common_start(struct text a, struct text b)
{
	size_t same = 0;

	for (size_t i = 0; i < a.length && i < b.length && a.at[i] == b.at[i]; i++)
		if (a.at[i] == '\n')
			same = i + 1;
	return same;
}

/* Returns the length of the common end of two texts. The end starts at a section header, so that none of its lines can be in
 * another section in one of the texts. */
static size_t common_end(struct text a, struct text b, size_t start)
{
	size_t same = 0, most = (a.length < b.length ? a.length : b.length) - start;

	for (size_t i = 1; i <= most && a.at[a.length - i] == b.at[b.length - i]; i++)
		if (a.at[a.length - i] == '[' && (i == a.length || a.at[a.length - i - 1] == '\n') &&
		    (i == b.length || b.at[b.length - i - 1] == '\n'))
			same = i;
	return same;
}

static bool is_word(const char *at, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)at[i]) && at[i] != '-')
			return false;
	return length > 0;
}

static bool matches(const char *word, const char *at, size_t length)
{
	return strlen(word) == length && strncasecmp(word, at, length) == 0;
}

/* `[section]` or `[section "name"]`, and nothing else on the line. Returns the row of `inert`, -1 for another section,
 * -2 when the line has another form. */
static int read_header(struct text line)
{
	const char *end = memchr(line.at, ']', line.length);
	const char *quote = memchr(line.at, '"', line.length);

	if (line.length < 3 || line.at[0] != '[' || !end || end != line.at + line.length - 1)
		return -2;
	size_t length = (size_t)((quote ? quote - 1 : end) - line.at - 1);
	if (!is_word(line.at + 1, length) || (quote && quote[-1] != ' '))
		return -2;
	if (quote && (end[-1] != '"' || end - 1 == quote || memchr(quote + 1, '"', (size_t)(end - quote - 2)) ||
		      memchr(quote, '\\', (size_t)(end - quote))))
		return -2;
	for (size_t i = 0; i < sizeof(inert) / sizeof(inert[0]); i++)
		if (matches(inert[i].section, line.at + 1, length) && inert[i].subsection == (quote != NULL))
			return (int)i;
	return -1;
}

/* Printable, and without characters that the format or git's transports interpret. `::` starts a remote helper, a dash starts an
 * option. Only the everyday schemes of addresses pass. */
static bool is_plain_value(struct text value)
{
	static const char *const schemes[] = { "https://", "http://", "ssh://", "git://", "file://" };
	const char *scheme = memmem(value.at, value.length, "://", 3);

	if (value.length == 0 || value.at[0] == '-' || memmem(value.at, value.length, "::", 2) ||
	    memmem(value.at, value.length, "://-", 4))
		return false;
	for (size_t i = 0; i < value.length; i++)
		if ((unsigned char)value.at[i] < 0x20 || value.at[i] == 0x7f || strchr("\"\\;#!", value.at[i]))
			return false;
	for (size_t i = 0; scheme && i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (strncmp(value.at, schemes[i], (size_t)(scheme + 3 - value.at)) == 0)
			return true;
	return !scheme;
}

/* `\tname = value`, and no other form. */
static bool read_entry(struct text line, struct text *name, struct text *value)
{
	const char *equals = memmem(line.at, line.length, " = ", 3);

	if (line.length < 2 || line.at[0] != '\t' || !equals)
		return false;
	*name = (struct text){ line.at + 1, (size_t)(equals - line.at - 1) };
	*value = (struct text){ equals + 3, line.length - name->length - 4 };
	return is_word(name->at, name->length);
}

/* An entry that the row `section` of `inert` lists. */
static bool is_plain_entry(struct text line, int section)
{
	struct text name, value;

	if (section < 0 || !read_entry(line, &name, &value))
		return false;
	for (const char *const *known = inert[section].names; *known; known++)
		if (matches(*known, name.at, name.length))
			return is_plain_value(value);
	return false;
}

static struct text line_at(struct text text, size_t at)
{
	const char *end = memchr(text.at + at, '\n', text.length - at);

	return (struct text){ text.at + at, (size_t)(end - text.at) - at };
}

static bool is_same(struct text a, struct text b)
{
	return a.length == b.length && strncasecmp(a.at, b.at, a.length) == 0;
}

static bool contains(struct text line, struct text word)
{
	int first = tolower((unsigned char)*word.at);

	for (size_t i = 0; i + word.length <= line.length; i++)
		if (tolower((unsigned char)line.at[i]) == first && strncasecmp(line.at + i, word.at, word.length) == 0)
			return true;
	return false;
}

/* Distinct names. The table `inert` has fewer than fit here. */
struct names {
	struct text at[32];
	size_t length;
};

/* Adds the names that the lines from `from` to `to` set. Each name is added once, because a change can set one name in every
 * line of a config, and the supervisor serves no other call meanwhile. Returns false if there are too many names. */
static bool add_names(struct names *names, struct text text, size_t from, size_t to)
{
	struct text line, name, value;

	for (size_t at = from; at < to; at += line.length + 1) {
		size_t known = 0;

		line = line_at(text, at);
		if (!read_entry(line, &name, &value))
			continue;
		while (known < names->length && !is_same(names->at[known], name))
			known++;
		if (known < names->length)
			continue;
		if (known == sizeof(names->at) / sizeof(names->at[0]))
			return false;
		names->at[names->length++] = name;
	}
	return true;
}

/* Whether these keys have plain values in the whole file. For a key with several values git takes the first, the last or all
 * of them. A value beside one that is not plain changes the meaning of that one. Any other line that mentions the name
 * counts as such a value. */
static bool are_plain_everywhere(const struct names *names, struct text text)
{
	struct text line, name, value;

	for (size_t at = 0; at < text.length; at += line.length + 1) {
		line = line_at(text, at);
		bool entry = read_entry(line, &name, &value);
		if (entry ? is_plain_value(value) : read_header(line) != -2)
			continue;
		for (size_t i = 0; i < names->length; i++)
			if (entry ? is_same(names->at[i], name) : contains(line, names->at[i]))
				return false;
	}
	return true;
}

/* Walks the lines from `from` to `to`. Before them only headers count. */
static bool are_plain(struct text text, size_t from, size_t to)
{
	int section = -1;

	for (size_t at = 0; at < to;) {
		struct text line = line_at(text, at);
		bool changed = at >= from;
		/* A header may follow blanks, and a key may follow a header. Then the section of no later line is known. */
		size_t blanks = strspn(line.at, " \t");
		bool header = blanks < line.length && line.at[blanks] == '[';
		if (header)
			section = read_header(line);
		if (changed && line.length > 0 && (header ? section < 0 : !is_plain_entry(line, section)))
			return false;
		at += line.length + 1;
	}
	return true;
}

bool is_plain_change(const char *base, size_t base_length, const char *next, size_t next_length)
{
	struct text old = { base, base_length }, new = { next, next_length };
	struct names names = { .length = 0 };

	if (!is_made_of_lines(old) || !is_made_of_lines(new))
		return false;
	size_t start = common_start(old, new);
	size_t end = common_end(old, new, start);
	return are_plain(old, start, old.length - end) && are_plain(new, start, new.length - end) &&
	       add_names(&names, old, start, old.length - end) && add_names(&names, new, start, new.length - end) &&
	       are_plain_everywhere(&names, old) && are_plain_everywhere(&names, new);
}
