/* The relay: a process of its own, outside of the run's network namespace, without files. It answers the run's name queries,
 * sees its connections begin, opens them outside if a rule allows it, and passes bytes on. */
#ifndef ION_NETWORK_RELAY_H
#define ION_NETWORK_RELAY_H

#include "network/learned_names.h"
#include "network/relay_shared.h"
#include "network/rules.h"

#define NAME_SERVERS_MAX 4

/* An entry of the epoll set. */
enum source_kind {
	SOURCE_SYNS, SOURCE_ACCEPT, SOURCE_NAME_DATAGRAMS, SOURCE_NAME_LISTENER, SOURCE_NAME_STREAM, SOURCE_QUERY,
	SOURCE_INNER, SOURCE_OUTER, SOURCE_ANSWERS,
};
struct source {
	enum source_kind kind;
	int fd, family;
	bool watched;
	void *owner;
};

struct flow;
struct query;

/* Sockets of the run's namespace that are not connected yet, by family (0: IPv4). */
#define FRESH_MAX 16
struct fresh {
	int listener, client;
	int sockets[FRESH_MAX];
	size_t count;
};

/* A name that the run has looked up, and that the user is asked about (asking.h). */
struct asked_name {
	char name[NAME_SIZE];
	enum { NOT_ANSWERED, NAME_ALLOWED, NAME_REFUSED } answer;
};

struct relay {
	struct network_rules rules;
	struct names names;
	struct run_sockets sockets;
	struct relay_shared *shared;
	int epoll, reports, routes;
	int syns[2], errors[2]; /* raw sockets by family */
	struct fresh fresh[2];
	bool exact; /* connections open as they would outside; else they are accepted first */
	struct in6_addr servers[NAME_SERVERS_MAX];
	size_t server_count;
	const char *const *search; /* domains that resolvers append */
	struct query *queries;
	size_t query_count, stream_count; /* streams: connections to the name server */
	struct asked_name asked[ASKED_MAX];
	size_t asked_count, released; /* released: queries of answered names, under way */
	struct source answers; /* struct relay_answer */
	bool looks_again; /* the launcher waits until the next turn is over */
	double new_names; /* how many below a wildcard may be asked for now */
	uint64_t new_names_at;
	struct flow *flows, *dead;
	size_t flow_count, flow_limit;
};

uint64_t relay_now_ms(void);

/* Watch for these epoll events; 0 for none. */
void watch_source(struct relay *relay, struct source *source, uint32_t events);
/* Called before the descriptor is closed: a copy of it on its way to another process would keep the entry. */
void close_source(struct relay *relay, struct source *source);

/* Serves until the launcher is gone. */
void run_relay(struct relay *relay);

#endif
