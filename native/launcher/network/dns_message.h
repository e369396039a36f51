/* Messages of the domain name system (RFC 1035, section 4). All bytes come from outside. */
#ifndef ION_NETWORK_DNS_MESSAGE_H
#define ION_NETWORK_DNS_MESSAGE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "network/rules.h"

#define DNS_MESSAGE_MAX 512
#define DNS_ANSWER_MAX 4096
#define DNS_HOSTS_MAX 16
#define DNS_TYPE_A 1
#define DNS_TYPE_CNAME 5
#define DNS_TYPE_AAAA 28
#define DNS_OK 0
#define DNS_SERVER_FAILURE 2
#define DNS_NO_SUCH_NAME 3

struct dns_question {
	char name[NAME_SIZE]; /* lower case, without a final dot; "" when the name has other bytes than a host's name */
	uint16_t type;
	size_t end; /* where the question ends */
};

/* Read the only question of a query. Returns false for a message that gets no answer. */
bool read_dns_question(const uint8_t *message, size_t size, struct dns_question *question);

/* Write a query with extensions for long answers. Returns its length. */
size_t write_dns_query(uint8_t message[DNS_MESSAGE_MAX], uint16_t id, const char *name, uint16_t type);

struct dns_hosts {
	int code;
	bool truncated; /* the answer did not fit */
	uint32_t ttl; /* seconds */
	struct in6_addr hosts[DNS_HOSTS_MAX];
	size_t count;
};

/* Read the addresses of an answer, along the chain of aliases that begins with the asked name. Returns false for a message that
 * is not the answer to that query. */
bool read_dns_answer(const uint8_t *message, size_t size, uint16_t id, const char *name, uint16_t type,
		     struct dns_hosts *answer);

/* Write a new answer to `query`. Only the addresses in it come from a name server. Returns its length. */
size_t write_dns_reply(uint8_t message[DNS_MESSAGE_MAX], const uint8_t *query, const struct dns_question *question,
		       const struct dns_hosts *answer);

#endif
