#define _GNU_SOURCE
#include "network/query_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

struct dns_stream {
	bool is_asked;
	size_t held;
	uint8_t bytes[2 + DNS_ANSWER_MAX]; /* after its length, as it arrives */
};

bool ask_by_stream(struct relay *relay, struct query *query, const struct sockaddr_storage *server, socklen_t length)
{
	close_source(relay, &query->upstream);
	query->upstream_stream = calloc(1, sizeof(*query->upstream_stream));
	int fd = socket(server->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	query->upstream = (struct source){ .kind = SOURCE_QUERY, .fd = fd, .owner = query };
	if (!query->upstream_stream || fd < 0)
		return false;
	if (connect(fd, (const struct sockaddr *)server, length) < 0 && errno != EINPROGRESS)
		return false;
	query->asked_at = relay_now_ms();
	watch_source(relay, &query->upstream, EPOLLOUT);
	return true;
}

static int ask(struct relay *relay, struct query *query)
{
	uint8_t framed[2 + DNS_MESSAGE_MAX];
	size_t size = write_dns_query(framed + 2, query->id, query->question.name, query->question.type);

	framed[0] = (uint8_t)(size >> 8);
	framed[1] = (uint8_t)size;
	if (send(query->upstream.fd, framed, 2 + size, MSG_NOSIGNAL) != (ssize_t)(2 + size))
		return -ECONNRESET;
	query->upstream_stream->is_asked = true;
	watch_source(relay, &query->upstream, EPOLLIN);
	return -EAGAIN;
}

ssize_t take_stream_answer(struct relay *relay, struct query *query, uint8_t message[DNS_ANSWER_MAX])
{
	struct dns_stream *stream = query->upstream_stream;

	if (!stream->is_asked)
		return ask(relay, query);
	ssize_t got = recv(query->upstream.fd, stream->bytes + stream->held, sizeof(stream->bytes) - stream->held, MSG_DONTWAIT);
	if (got <= 0)
		return got < 0 && errno == EAGAIN ? -EAGAIN : -ECONNRESET;
	stream->held += (size_t)got;
	const size_t whole = stream->held < 2 ? sizeof(stream->bytes) : 2 + ((size_t)stream->bytes[0] << 8 | stream->bytes[1]);
	const size_t wanted = whole < sizeof(stream->bytes) ? whole : sizeof(stream->bytes);
	if (stream->held < wanted)
		return -EAGAIN;
	memcpy(message, stream->bytes + 2, wanted - 2);
	return (ssize_t)(wanted - 2);
}
