#define _GNU_SOURCE
#include "network/query.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "network/asking.h"
#include "network/hosts.h"

struct query *new_query(struct relay *relay)
{
	struct query *query = calloc(1, sizeof(*query));

	if (!query)
		return NULL;
	query->upstream.fd = -1;
	query->next = relay->queries;
	relay->queries = query;
	relay->query_count++;
	return query;
}

void end_query(struct relay *relay, struct query *query)
{
	struct query **at = &relay->queries;

	while (*at != query)
		at = &(*at)->next;
	*at = query->next;
	relay->query_count--;
	if (query->released)
		count_released(relay);
	close_source(relay, &query->upstream);
	free(query->upstream_stream);
	if (query->stream)
		close(query->reply);
	free(query);
}

/* Sends from the address that the query went to: a resolver drops an answer from another address. */
static void send_datagram(const struct query *query, uint8_t *message, size_t size)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(struct in6_pktinfo))];
	} control;
	const bool v4 = host_is_v4(&query->asked);
	struct iovec data = { message, size };
	struct msghdr header = { (void *)&query->peer, query->peer_length, &data, 1, &control, 0, 0 };
	const struct in6_pktinfo info6 = { .ipi6_addr = query->asked };
	struct in_pktinfo info4 = { 0 };

	memset(&control, 0, sizeof(control));
	memcpy(&info4.ipi_spec_dst, &query->asked.s6_addr[12], 4);
	control.header.cmsg_level = v4 ? IPPROTO_IP : IPPROTO_IPV6;
	control.header.cmsg_type = v4 ? IP_PKTINFO : IPV6_PKTINFO;
	control.header.cmsg_len = CMSG_LEN(v4 ? sizeof(info4) : sizeof(info6));
	memcpy(CMSG_DATA(&control.header), v4 ? (const void *)&info4 : (const void *)&info6, v4 ? sizeof(info4) : sizeof(info6));
	header.msg_controllen = CMSG_SPACE(v4 ? sizeof(info4) : sizeof(info6));
	(void)!sendmsg(query->reply, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void send_reply(const struct query *query, const struct dns_hosts *answer)
{
	uint8_t framed[2 + DNS_MESSAGE_MAX];
	size_t size = write_dns_reply(framed + 2, query->message, &query->question, answer);

	framed[0] = (uint8_t)(size >> 8);
	framed[1] = (uint8_t)size;
	if (query->stream)
		(void)!send(query->reply, framed, 2 + size, MSG_NOSIGNAL | MSG_DONTWAIT);
	else
		send_datagram(query, framed + 2, size);
}

void send_code(const struct query *query, int code)
{
	send_reply(query, &(struct dns_hosts){ .code = code });
}

struct asker asker_of(const struct query *query)
{
	struct asker asker = { .datagram = !query->stream, .to = query->asked, .to_port = 53 };
	struct in6_addr host;

	if (!query->stream)
		read_address_of(&query->peer, &host, &asker.from_port);
	return asker;
}
