#include "network/dns_message.h"

#include <ctype.h>
#include <string.h>

#include "network/hosts.h"

enum { HEADER = 12, LABEL_MAX = 63, JUMPS_MAX = 16, RECORD = 10, QUESTION = 4 };

static bool is_of_host_name(int c)
{
	return (c < 0x80 && isalnum(c)) || c == '-' || c == '_';
}

static uint16_t number_at(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static void put_number(uint8_t *bytes, uint16_t number)
{
	bytes[0] = (uint8_t)(number >> 8);
	bytes[1] = (uint8_t)number;
}

/* Adds a label. Sets `*strange` if it cannot be the name of a host. */
static bool add_label(const uint8_t *label, size_t length, char *name, size_t *written, bool *strange)
{
	if (*written + length + 2 > NAME_SIZE)
		return false;
	if (*written > 0)
		name[(*written)++] = '.';
	for (size_t i = 0; i < length; i++) {
		if (!is_of_host_name(label[i]))
			*strange = true;
		name[(*written)++] = (char)tolower(label[i]);
	}
	return true;
}

/* Reads a name at `*at`, and sets `*at` behind it. */
static bool read_name(const uint8_t *message, size_t size, size_t *at, char name[NAME_SIZE], bool *strange)
{
	size_t from = *at, written = 0;
	int jumps = 0;

	for (;;) {
		if (from >= size)
			return false;
		size_t length = message[from];
		if ((length & 0xc0) == 0xc0) {
			if (from + 1 >= size || ++jumps > JUMPS_MAX)
				return false;
			if (jumps == 1)
				*at = from + 2;
			from = (length & 0x3f) << 8 | message[from + 1];
			continue;
		}
		if (length > LABEL_MAX || from + 1 + length > size)
			return false;
		from += 1 + length;
		if (length == 0)
			break;
		if (!add_label(message + from - length, length, name, &written, strange))
			return false;
	}
	name[written] = '\0';
	if (jumps == 0)
		*at = from;
	return true;
}

bool read_dns_question(const uint8_t *message, size_t size, struct dns_question *question)
{
	const uint8_t response_or_other_kind = 0xf8;
	size_t at = HEADER;
	bool strange = false;

	if (size < HEADER || message[2] & response_or_other_kind || number_at(message + 4) != 1)
		return false;
	/* A query has only one name, so the name cannot point at an earlier one. */
	for (size_t label = HEADER; label < size && message[label] != 0; label += 1u + message[label])
		if (message[label] > LABEL_MAX)
			return false;
	if (!read_name(message, size, &at, question->name, &strange) || size - at < QUESTION)
		return false;
	question->type = number_at(message + at);
	question->end = at + QUESTION;
	if (strange)
		question->name[0] = '\0';
	return true;
}

static size_t put_name(uint8_t *message, size_t at, const char *name)
{
	while (*name) {
		size_t length = strcspn(name, ".");
		message[at++] = (uint8_t)length;
		memcpy(message + at, name, length);
		at += length;
		name += length + (name[length] == '.');
	}
	message[at++] = 0;
	return at;
}

size_t write_dns_query(uint8_t message[DNS_MESSAGE_MAX], uint16_t id, const char *name, uint16_t type)
{
	/* EDNS (RFC 6891): 1232 bytes pass every network without fragmentation. */
	static const uint8_t extension[] = { 0, 0, 41, 0x04, 0xd0, 0, 0, 0, 0, 0, 0 };

	memset(message, 0, HEADER);
	put_number(message, id);
	message[2] = 1; /* recursion desired */
	message[5] = message[11] = 1;
	size_t at = put_name(message, HEADER, name);
	put_number(message + at, type);
	put_number(message + at + 2, 1);
	at += QUESTION;
	memcpy(message + at, extension, sizeof(extension));
	return at + sizeof(extension);
}

struct record {
	char owner[NAME_SIZE];
	uint16_t type;
	uint32_t ttl;
	size_t data, length;
};

static bool read_record(const uint8_t *message, size_t size, size_t *at, struct record *record)
{
	bool strange = false;

	if (!read_name(message, size, at, record->owner, &strange) || size - *at < RECORD)
		return false;
	const uint8_t *fixed = message + *at;
	record->type = number_at(fixed);
	record->ttl = (uint32_t)number_at(fixed + 4) << 16 | number_at(fixed + 6);
	record->length = number_at(fixed + 8);
	record->data = *at + RECORD;
	*at = record->data + record->length;
	return *at <= size;
}

static void take_host(const uint8_t *data, const struct record *record, struct dns_hosts *answer)
{
	struct in6_addr *host = &answer->hosts[answer->count];

	if (answer->count == DNS_HOSTS_MAX || record->length != (record->type == DNS_TYPE_A ? 4u : 16u))
		return;
	if (record->type == DNS_TYPE_A)
		*host = host_of_v4(data);
	else
		memcpy(host, data, sizeof(*host));
	answer->count++;
}

static void take_record(const uint8_t *message, size_t size, const struct record *record, uint16_t type, char *owner,
			struct dns_hosts *answer)
{
	bool strange = false;
	size_t at = record->data;

	if (strcmp(record->owner, owner) != 0)
		return;
	if (record->ttl < answer->ttl)
		answer->ttl = record->ttl;
	if (record->type == DNS_TYPE_CNAME) {
		char next[NAME_SIZE];
		if (read_name(message, size, &at, next, &strange))
			strcpy(owner, next);
	} else if (record->type == type) {
		take_host(message + record->data, record, answer);
	}
}

bool read_dns_answer(const uint8_t *message, size_t size, uint16_t id, const char *name, uint16_t type,
		     struct dns_hosts *answer)
{
	char asked[NAME_SIZE], owner[NAME_SIZE];
	bool strange = false;
	size_t at = HEADER;
	struct record record;

	*answer = (struct dns_hosts){ .ttl = 300 };
	if (size < HEADER || number_at(message) != id || !(message[2] & 0x80) || number_at(message + 4) != 1)
		return false;
	if (!read_name(message, size, &at, asked, &strange) || strcmp(asked, name) != 0 || size - at < QUESTION)
		return false;
	if (number_at(message + at) != type)
		return false;
	at += QUESTION;
	answer->code = message[3] & 15;
	answer->truncated = message[2] & 2;
	strcpy(owner, name);
	for (int i = number_at(message + 6); i > 0 && read_record(message, size, &at, &record); i--)
		take_record(message, size, &record, type, owner, answer);
	return true;
}

static size_t put_host(uint8_t *message, size_t at, const struct in6_addr *host, uint16_t type, uint32_t ttl)
{
	const uint8_t name_of_question[] = { 0xc0, HEADER };
	const uint16_t length = type == DNS_TYPE_A ? 4 : 16;

	if (host_is_v4(host) != (type == DNS_TYPE_A) || at + 2 + RECORD + length > DNS_MESSAGE_MAX)
		return at;
	memcpy(message + at, name_of_question, 2);
	put_number(message + at + 2, type);
	put_number(message + at + 4, 1);
	put_number(message + at + 6, (uint16_t)(ttl >> 16));
	put_number(message + at + 8, (uint16_t)ttl);
	put_number(message + at + 10, length);
	memcpy(message + at + 12, length == 4 ? host->s6_addr + 12 : host->s6_addr, length);
	message[7]++;
	return at + 12 + length;
}

size_t write_dns_reply(uint8_t message[DNS_MESSAGE_MAX], const uint8_t *query, const struct dns_question *question,
		       const struct dns_hosts *answer)
{
	size_t at = question->end;

	memcpy(message, query, at);
	message[2] = (uint8_t)(0x80 | (query[2] & 1));
	message[3] = (uint8_t)(0x80 | answer->code);
	memset(message + 6, 0, 6);
	for (size_t i = 0; i < answer->count; i++)
		at = put_host(message, at, &answer->hosts[i], question->type, answer->ttl);
	return at;
}
