/* How the queries of the run come to its name server: as datagrams, and in streams. */
#ifndef ION_NETWORK_NAME_REQUESTS_H
#define ION_NETWORK_NAME_REQUESTS_H

#include "network/relay.h"

void answer_datagrams(struct relay *relay, const struct source *source);
void accept_name_stream(struct relay *relay, const struct source *source);
void answer_name_stream(struct relay *relay, struct source *source);

#endif
