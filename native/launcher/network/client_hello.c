#include "network/client_hello.h"

#include <ctype.h>
#include <string.h>

enum { RECORD_HEADER = 5, HANDSHAKE = 0x16, CLIENT_HELLO = 1, MESSAGE_HEADER = 4 };
enum { SERVER_NAME = 0, ENCRYPTED_HELLO = 0xfe0d, ENCRYPTED_NAME = 0xffce };

/* Bytes that are read from the front. A read beyond the end sets `failed`. */
struct reader {
	const uint8_t *at, *end;
	bool failed;
};

static size_t left(const struct reader *reader)
{
	return (size_t)(reader->end - reader->at);
}

static size_t take_number(struct reader *reader, size_t bytes)
{
	size_t number = 0;

	if (left(reader) < bytes) {
		reader->failed = true;
		return 0;
	}
	while (bytes-- > 0)
		number = number << 8 | *reader->at++;
	return number;
}

/* A vector: its length in `bytes` bytes, then its content. */
static struct reader take_vector(struct reader *reader, size_t bytes)
{
	size_t length = take_number(reader, bytes);

	if (reader->failed || left(reader) < length) {
		reader->failed = true;
		return (struct reader){ reader->end, reader->end, true };
	}
	struct reader vector = { reader->at, reader->at + length, false };
	reader->at += length;
	return vector;
}

static size_t message_size(const uint8_t *message)
{
	return MESSAGE_HEADER + ((size_t)message[1] << 16 | (size_t)message[2] << 8 | message[3]);
}

/* Joins the pieces of the message. Returns 1, 0 or -1 as read_client_hello; `*length` is that of the message. */
static int join_records(const uint8_t *bytes, size_t size, uint8_t message[HELLO_MAX], size_t *length)
{
	size_t joined = 0;

	for (size_t at = 0;;) {
		if (joined > 0 && message[0] != CLIENT_HELLO)
			return -1;
		if (joined >= MESSAGE_HEADER) {
			*length = message_size(message);
			if (*length > HELLO_MAX)
				return -1;
			if (joined >= *length)
				return 1;
		}
		if (size - at > 0 && bytes[at] != HANDSHAKE)
			return -1;
		if (size - at > 1 && bytes[at + 1] != 3)
			return -1;
		if (size - at < RECORD_HEADER)
			return 0;
		size_t record = (size_t)bytes[at + 3] << 8 | bytes[at + 4];
		at += RECORD_HEADER;
		size_t here = size - at < record ? size - at : record;
		if (record == 0 || joined + here > HELLO_MAX)
			return -1;
		memcpy(message + joined, bytes + at, here);
		joined += here;
		at += here;
		if (here < record && (joined < MESSAGE_HEADER || message[0] != CLIENT_HELLO || joined < message_size(message)))
			return joined > 0 && message[0] != CLIENT_HELLO ? -1 : 0;
	}
}

static bool read_server_name(struct reader list, char name[NAME_SIZE])
{
	struct reader names = take_vector(&list, 2);
	size_t type = take_number(&names, 1);
	struct reader text = take_vector(&names, 2);
	size_t length = left(&text);

	if (names.failed || list.failed || left(&names) > 0 || left(&list) > 0 || type != 0 || length == 0 || length >= NAME_SIZE)
		return false;
	for (size_t i = 0; i < length; i++) {
		uint8_t c = text.at[i];
		if (c >= 0x80 || (!isalnum(c) && c != '-' && c != '_' && c != '.'))
			return false;
		name[i] = (char)tolower(c);
	}
	name[length] = '\0';
	if (name[length - 1] == '.')
		name[length - 1] = '\0';
	return true;
}

static bool read_extensions(struct reader extensions, struct client_hello *hello)
{
	bool named = false;

	while (left(&extensions) > 0) {
		size_t type = take_number(&extensions, 2);
		struct reader content = take_vector(&extensions, 2);
		if (extensions.failed)
			return false;
		if (type == ENCRYPTED_HELLO || type == ENCRYPTED_NAME)
			hello->encrypted = true;
		if (type != SERVER_NAME)
			continue;
		/* If there are two names, the server and ion could choose different ones. */
		if (named || !read_server_name(content, hello->name))
			return false;
		named = true;
	}
	return true;
}

int read_client_hello(const uint8_t *bytes, size_t size, struct client_hello *hello)
{
	uint8_t message[HELLO_MAX];
	size_t length = 0;

	*hello = (struct client_hello){ .name = "" };
	int state = join_records(bytes, size, message, &length);
	if (state != 1)
		return state;
	struct reader body = { message + MESSAGE_HEADER, message + length, false };
	take_number(&body, 2);
	for (int i = 0; i < 4; i++)
		take_number(&body, 8); /* random */
	take_vector(&body, 1);  /* session */
	take_vector(&body, 2);  /* cipher suites */
	take_vector(&body, 1);  /* compression */
	if (body.failed)
		return -1;
	if (left(&body) == 0)
		return 1;
	struct reader extensions = take_vector(&body, 2);
	return !body.failed && left(&body) == 0 && read_extensions(extensions, hello) ? 1 : -1;
}
