/* Asks a name server by TCP (RFC 7766), after its answer did not fit a datagram. */
#ifndef ION_NETWORK_QUERY_STREAM_H
#define ION_NETWORK_QUERY_STREAM_H

#include "network/query.h"

/* Returns false if the server cannot be asked. */
bool ask_by_stream(struct relay *relay, struct query *query, const struct sockaddr_storage *server, socklen_t length);

/* Called when the connection is ready. Returns the length of the answer in `message`, cut to what fits; -EAGAIN while it is not
 * whole; another -errno when none comes. */
ssize_t take_stream_answer(struct relay *relay, struct query *query, uint8_t message[DNS_ANSWER_MAX]);

#endif
