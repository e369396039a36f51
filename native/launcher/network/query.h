/* One query of the run that waits for its answer. */
#ifndef ION_NETWORK_QUERY_H
#define ION_NETWORK_QUERY_H

#include "network/dns_message.h"
#include "network/relay.h"
#include "network/report.h"

struct query {
	struct source upstream;
	struct query *next;
	uint64_t asked_at;
	unsigned tries;
	struct dns_stream *upstream_stream; /* the name server is asked by TCP: its answer did not fit a datagram */
	uint16_t id;
	struct dns_question question;
	const struct network_rule *rule;
	const struct asked_name *waits_for; /* an answer of the user; or NULL */
	bool released; /* it has waited, and the name was answered */
	uint8_t message[DNS_MESSAGE_MAX]; /* as the run sent it */
	size_t size;
	/* Where the answer goes. A stream's descriptor is the query's own. */
	int reply;
	bool stream;
	struct sockaddr_storage peer;
	socklen_t peer_length;
	struct in6_addr asked; /* the name server's address that the run used */
};

struct query *new_query(struct relay *relay);
void end_query(struct relay *relay, struct query *query);
void send_reply(const struct query *query, const struct dns_hosts *answer);
void send_code(const struct query *query, int code);
struct asker asker_of(const struct query *query);

#endif
