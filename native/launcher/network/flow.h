/* One connection of the run: its end in the run's namespace (inner), and the one outside (outer). */
#ifndef ION_NETWORK_FLOW_H
#define ION_NETWORK_FLOW_H

#include <sys/types.h>

#include "network/packets.h"
#include "network/relay.h"
#include "network/report.h"

/* The bytes of one direction that wait to be sent. */
struct direction {
	int pipe[2]; /* -1: none */
	size_t held; /* in the pipe */
	bool ended, shut; /* no more comes; and the other side knows */
};

/* The protocol part that the next bytes of the run belong to. */
enum expects { EXPECTS_FIRST_BYTES, EXPECTS_REQUEST, EXPECTS_CHUNK, EXPECTS_UPGRADE, EXPECTS_ANYTHING };

struct flow {
	struct source inner, outer;
	struct flow *next, *previous;
	struct syn syn; /* of an accepted connection without the head */
	struct known_address *address; /* NULL for one that is listed itself */
	bool outer_stands, inner_stands, over;
	enum expects expects;
	uint64_t passes; /* bytes that may go out before the next look */
	ssize_t peeked;
	uint64_t since;
	struct direction out, in;
};

#define PASSES_ALL UINT64_MAX

struct flow *new_flow(struct relay *relay, const struct syn *syn);
void end_flow(struct relay *relay, struct flow *flow, bool reset);
void free_dead_flows(struct relay *relay);
struct asker asker_of_flow(const struct flow *flow);
void set_interest(struct relay *relay, struct flow *flow);

/* checks.c: look at the next bytes of the run. Ends the flow when they are refused. */
void look_inside(struct relay *relay, struct flow *flow);
/* After a request for another protocol: looks whether the server agrees. */
void look_at_upgrade(struct flow *flow);

/* pass.c: pass bytes on. Returns false when the connection is over. */
bool pass_out(struct flow *flow);
bool pass_in(struct flow *flow);
bool is_done(const struct flow *flow);
void close_direction(struct direction *direction);

/* opening.c */
void take_syns(struct relay *relay, const struct source *source);
void accept_flows(struct relay *relay, const struct source *source);
/* Connects the run's end from the address that the run asked for. Returns a descriptor or -errno. */
int connect_inside(struct relay *relay, const struct syn *syn);
/* Whether a connection can be opened from this side. Tries it on the run's own address. */
bool try_exact_opening(struct relay *relay, int family);

/* flow_events.c */
void inner_ready(struct relay *relay, struct flow *flow, uint32_t events);
void outer_ready(struct relay *relay, struct flow *flow, uint32_t events);
void look_at_flows(struct relay *relay, uint64_t now);

#endif
