#define _GNU_SOURCE
#include "network/http_head.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* One line, without its end. */
struct line {
	const char *text;
	size_t length;
};

static bool is_token(int c)
{
	return c < 0x80 && c > ' ' && (isalnum(c) || strchr("!#$%&'*+-.^_`|~", c));
}

/* Returns 1 with the line at `*at`, 0 without its end, -1 for an end that is not CRLF and for control bytes. */
static int take_line(const uint8_t *bytes, size_t size, size_t *at, struct line *line)
{
	const uint8_t *start = bytes + *at, *end = memchr(start, '\n', size - *at);
	size_t length = end ? (size_t)(end - start) : size - *at;

	for (size_t i = 0; i < length; i++) {
		bool at_end = end && i + 1 == length && start[i] == '\r';
		bool may_end = !end && i + 1 == length && start[i] == '\r';
		if ((start[i] < ' ' && start[i] != '\t' && !at_end && !may_end) || start[i] == 0x7f)
			return -1;
	}
	if (!end)
		return 0;
	if (length == 0 || start[length - 1] != '\r')
		return -1;
	*line = (struct line){ (const char *)start, length - 1 };
	*at += length + 1;
	return 1;
}

/* `example.org`, with or without a port. */
static bool read_authority(const char *text, size_t length, char host[NAME_SIZE])
{
	const char *colon = memchr(text, ':', length);
	size_t name = colon ? (size_t)(colon - text) : length;

	if (name == 0 || name >= NAME_SIZE)
		return false;
	for (size_t i = name + 1; i < length; i++)
		if (!isdigit((unsigned char)text[i]))
			return false;
	for (size_t i = 0; i < name; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c >= 0x80 || (!isalnum(c) && c != '-' && c != '_' && c != '.'))
			return false;
		host[i] = (char)tolower(c);
	}
	host[name] = '\0';
	if (host[name - 1] == '.')
		host[name - 1] = '\0';
	return host[0] != '\0';
}

/* `GET /path HTTP/1.1`. A whole URL names a host too: `of_target`, which then must be the same. */
static bool read_request_line(struct line line, char of_target[NAME_SIZE])
{
	const char *end = line.text + line.length, *target = memchr(line.text, ' ', line.length);
	const char *version = target ? memchr(target + 1, ' ', (size_t)(end - target - 1)) : NULL;
	static const char scheme[] = "http://";

	of_target[0] = '\0';
	if (!version || target == line.text || end - version != 9 || strncmp(version, " HTTP/1.", 8) != 0 || !isdigit((unsigned char)version[8]))
		return false;
	for (const char *c = line.text; c < target; c++)
		if (!is_token((unsigned char)*c))
			return false;
	target++;
	if (*target == '/' || (*target == '*' && version == target + 1))
		return true;
	if ((size_t)(version - target) <= sizeof(scheme) - 1 || strncasecmp(target, scheme, sizeof(scheme) - 1) != 0)
		return false;
	target += sizeof(scheme) - 1;
	return read_authority(target, strcspn(target, "/?# "), of_target);
}

static bool is_named(struct line line, const char *name)
{
	size_t length = strlen(name);

	return line.length > length && strncasecmp(line.text, name, length) == 0 && line.text[length] == ':';
}

static struct line value_of(struct line line)
{
	const char *value = memchr(line.text, ':', line.length), *end = line.text + line.length;

	for (value++; value < end && (*value == ' ' || *value == '\t'); value++)
		;
	while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	return (struct line){ value, (size_t)(end - value) };
}

static bool is_header(struct line line)
{
	const char *colon = memchr(line.text, ':', line.length);

	if (!colon || colon == line.text)
		return false; /* also a folded line, which begins with a blank */
	for (const char *c = line.text; c < colon; c++)
		if (!is_token((unsigned char)*c))
			return false;
	return true;
}

static bool read_length(struct line value, uint64_t *length)
{
	*length = 0;
	if (value.length == 0 || value.length > 18)
		return false;
	for (size_t i = 0; i < value.length; i++) {
		if (!isdigit((unsigned char)value.text[i]))
			return false;
		*length = *length * 10 + (uint64_t)(value.text[i] - '0');
	}
	return true;
}

struct seen {
	bool host, length, encoding;
};

/* Each of the three may occur once: of two, servers choose differently. */
static bool take_header(struct line line, struct http_head *head, struct seen *seen)
{
	struct line value;

	if (!is_header(line))
		return false;
	value = value_of(line);
	if (is_named(line, "host")) {
		bool first = !seen->host;
		seen->host = true;
		return first && read_authority(value.text, value.length, head->host);
	}
	if (is_named(line, "content-length")) {
		bool first = !seen->length;
		seen->length = true;
		return first && read_length(value, &head->body);
	}
	if (is_named(line, "transfer-encoding")) {
		bool first = !seen->encoding;
		seen->encoding = head->chunked = true;
		return first && value.length == 7 && strncasecmp(value.text, "chunked", 7) == 0;
	}
	if (is_named(line, "upgrade"))
		head->upgrade = true;
	return true;
}

int read_http_head(const uint8_t *bytes, size_t size, struct http_head *head)
{
	char of_target[NAME_SIZE];
	struct seen seen = { false, false, false };
	struct line line;
	size_t at = 0;

	*head = (struct http_head){ .host = "" };
	int state = take_line(bytes, size, &at, &line);
	if (state != 1)
		return state;
	if (!read_request_line(line, of_target))
		return -1;
	while ((state = take_line(bytes, size, &at, &line)) == 1 && line.length > 0)
		if (!take_header(line, head, &seen))
			return -1;
	if (state != 1)
		return state == 0 && size >= HTTP_HEAD_MAX ? -1 : state;
	head->length = at;
	bool two_lengths = seen.length && seen.encoding;
	bool two_hosts = of_target[0] && strcmp(of_target, head->host) != 0;
	return seen.host && !two_lengths && !two_hosts ? 1 : -1;
}

static int hex_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int read_http_chunk(const uint8_t *bytes, size_t size, uint64_t *length)
{
	struct line line;
	size_t at = 0, digits = 0;
	uint64_t chunk = 0;
	int state = take_line(bytes, size, &at, &line);

	if (state != 1)
		return state;
	for (; digits < line.length && hex_digit(line.text[digits]) >= 0; digits++)
		chunk = chunk << 4 | (uint64_t)hex_digit(line.text[digits]);
	if (digits == 0 || digits > 12 || (digits < line.length && line.text[digits] != ';'))
		return -1;
	*length = at + chunk + 2;
	if (chunk > 0)
		return 1;
	while ((state = take_line(bytes, size, &at, &line)) == 1 && line.length > 0)
		if (!is_header(line))
			return -1;
	*length = at;
	return state == 1 ? 2 : state == 0 && size >= HTTP_HEAD_MAX ? -1 : state;
}
