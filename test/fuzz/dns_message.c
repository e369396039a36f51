/* Feeds arbitrary bytes as a query of the run and as the answer of a name server. A reply must fit and contain the given addresses.
 * A name must be one of a host. */
#include <assert.h>
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../native/launcher/network/dns_message.h"
#include "../../native/launcher/network/hosts.h"

static uint16_t number_at(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static void check_host_name(const char *name)
{
	assert(strlen(name) < NAME_SIZE && strstr(name, "..") == NULL && name[0] != '.');
	for (const char *c = name; *c; c++)
		assert((isalnum((unsigned char)*c) && !isupper((unsigned char)*c)) || strchr("-_.", *c));
}

/* ion's own query must be for the name that the run asked for. */
static void check_query(const struct dns_question *question)
{
	uint8_t message[DNS_MESSAGE_MAX];
	struct dns_question again;
	size_t size = write_dns_query(message, 0x1234, question->name, question->type);

	assert(size <= sizeof(message) && number_at(message) == 0x1234);
	assert(read_dns_question(message, size, &again));
	assert(strcmp(again.name, question->name) == 0 && again.type == question->type);
}

static void check_answer(const struct dns_hosts *answer, uint16_t type)
{
	assert(answer->count <= DNS_HOSTS_MAX && answer->ttl <= 300);
	for (size_t i = 0; i < answer->count; i++)
		assert(type == DNS_TYPE_AAAA || host_is_v4(&answer->hosts[i]));
}

/* The reply has the addresses of the answer, except those of the other family and those that do not fit. */
static void check_reply(const uint8_t *query, const struct dns_question *question, const struct dns_hosts *answer)
{
	uint8_t reply[DNS_MESSAGE_MAX];
	struct dns_hosts again;
	size_t size = write_dns_reply(reply, query, question, answer), at = 0;

	assert(size <= sizeof(reply));
	assert(read_dns_answer(reply, size, number_at(query), question->name, question->type, &again));
	assert(again.code == answer->code && again.count <= answer->count);
	for (size_t i = 0; i < again.count; i++, at++) {
		while (at < answer->count && !same_host(&again.hosts[i], &answer->hosts[at]))
			at++;
		assert(at < answer->count);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *message = malloc(size ? size : 1);
	struct dns_question question;
	struct dns_hosts answer;

	memcpy(message, data, size);
	if (read_dns_question(message, size, &question)) {
		assert(question.end <= size);
		check_host_name(question.name);
		if (question.name[0])
			check_query(&question);
		if (size <= DNS_MESSAGE_MAX) {
			const struct dns_hosts hosts = { .code = DNS_OK, .ttl = 60, .count = 2,
							 .hosts = { host_of_v4("\1\2\3\4"), { { { 0x20, 1, 0xd } } } } };
			if (question.name[0])
				check_reply(message, &question, &hosts);
		}
	}
	/* Reads the same bytes as the answer to the question in them. */
	if (size > 2)
		message[2] &= 7;
	if (read_dns_question(message, size, &question) && (question.type == DNS_TYPE_A || question.type == DNS_TYPE_AAAA)) {
		message[2] |= 0x80;
		if (read_dns_answer(message, size, number_at(message), question.name, question.type, &answer)) {
			check_answer(&answer, question.type);
			if (size <= DNS_MESSAGE_MAX && question.name[0])
				check_reply(message, &question, &answer);
		}
	}
	free(message);
	return 0;
}
