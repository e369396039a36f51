#define _GNU_SOURCE
#include "network/name_requests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "network/dns.h"
#include "network/hosts.h"
#include "network/query.h"

#define DATAGRAMS_AT_ONCE 64
#define NAME_STREAMS_MAX 64

static void note_asked_server(struct msghdr *header, struct query *query)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
		if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO)
			query->asked = host_of_v4(&((const struct in_pktinfo *)(const void *)CMSG_DATA(c))->ipi_addr);
		if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO)
			query->asked = ((const struct in6_pktinfo *)(const void *)CMSG_DATA(c))->ipi6_addr;
	}
}

static bool take_datagram(struct relay *relay, const struct source *source)
{
	union {
		struct cmsghdr header;
		char room[128];
	} control;
	struct query *query = new_query(relay);

	if (!query)
		return false;
	struct iovec data = { query->message, sizeof(query->message) };
	struct msghdr header = { &query->peer, sizeof(query->peer), &data, 1, &control, sizeof(control), 0 };
	ssize_t size = recvmsg(source->fd, &header, MSG_DONTWAIT);
	if (size < 0) {
		end_query(relay, query);
		return false;
	}
	query->size = (size_t)size;
	query->peer_length = header.msg_namelen;
	query->reply = source->fd;
	note_asked_server(&header, query);
	take_query(relay, query);
	return true;
}

void answer_datagrams(struct relay *relay, const struct source *source)
{
	for (int i = 0; i < DATAGRAMS_AT_ONCE && take_datagram(relay, source); i++)
		;
}

/* A connection to the name server. Queries may come in pieces, and several at once: glibc sends both of its own in one write. */
struct name_stream {
	struct source source;
	struct in6_addr asked;
	uint8_t bytes[2 * (2 + DNS_MESSAGE_MAX)];
	size_t held;
};

void accept_name_stream(struct relay *relay, const struct source *source)
{
	struct sockaddr_storage own;
	socklen_t length = sizeof(own);
	uint16_t port;
	int fd = accept4(source->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	const bool full = relay->stream_count >= NAME_STREAMS_MAX;
	struct name_stream *stream = fd < 0 || full ? NULL : calloc(1, sizeof(*stream));

	if (!stream) {
		if (fd >= 0)
			close(fd);
		return;
	}
	if (getsockname(fd, (struct sockaddr *)&own, &length) == 0)
		read_address_of(&own, &stream->asked, &port);
	stream->source = (struct source){ .kind = SOURCE_NAME_STREAM, .fd = fd, .owner = stream };
	watch_source(relay, &stream->source, EPOLLIN);
	relay->stream_count++;
}

/* Takes the first query of the stream. Returns false when it is not whole. */
static bool take_framed(struct relay *relay, struct name_stream *stream)
{
	const size_t size = stream->held < 2 ? 0 : (size_t)stream->bytes[0] << 8 | stream->bytes[1];

	if (stream->held < 2 || stream->held < 2 + size)
		return false;
	struct query *query = new_query(relay);
	if (query) {
		query->stream = true;
		query->reply = dup(stream->source.fd);
		query->asked = stream->asked;
		query->size = size;
		memcpy(query->message, stream->bytes + 2, size);
		take_query(relay, query);
	}
	stream->held -= 2 + size;
	memmove(stream->bytes, stream->bytes + 2 + size, stream->held);
	return true;
}

void answer_name_stream(struct relay *relay, struct source *source)
{
	struct name_stream *stream = source->owner;
	ssize_t size = recv(source->fd, stream->bytes + stream->held, sizeof(stream->bytes) - stream->held, MSG_DONTWAIT);

	if (size < 0 && errno == EAGAIN)
		return;
	if (size > 0)
		stream->held += (size_t)size;
	while (size > 0 && take_framed(relay, stream))
		;
	bool too_long = stream->held >= 2 && ((size_t)stream->bytes[0] << 8 | stream->bytes[1]) > DNS_MESSAGE_MAX;
	if (size <= 0 || too_long) {
		close_source(relay, source);
		relay->stream_count--;
		free(stream);
	}
}
