/* The run's name server. It asks the machine's own name servers for allowed names, and makes the addresses of their answers
 * reachable. */
#ifndef ION_NETWORK_DNS_H
#define ION_NETWORK_DNS_H

#include "network/relay.h"

/* Answers a query of the run, or asks the machine's name servers for the answer, or waits for the user (asking.h). The query ends with
 * its answer. */
void take_query(struct relay *relay, struct query *query);
void take_name_answer(struct relay *relay, struct query *query);

/* Whether `name` is one of the machine's search domains, with something before it. Sets `front` to that. */
bool is_below_search_domain(const struct relay *relay, const char *name, char front[NAME_SIZE]);

/* Ask again, or give up. */
void look_at_queries(struct relay *relay, uint64_t now);

/* Make an allowed name's address reachable. Returns false when it cannot be. */
bool open_address(struct relay *relay, const char *name, const struct in6_addr *host);

#endif
