#define _GNU_SOURCE
#include "network/flow.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct flow *new_flow(struct relay *relay, const struct syn *syn)
{
	struct flow *flow = calloc(1, sizeof(*flow));

	if (!flow)
		return NULL;
	flow->inner = (struct source){ .kind = SOURCE_INNER, .fd = -1, .owner = flow };
	flow->outer = (struct source){ .kind = SOURCE_OUTER, .fd = -1, .owner = flow };
	flow->syn = *syn;
	flow->since = relay_now_ms();
	flow->out.pipe[0] = flow->out.pipe[1] = flow->in.pipe[0] = flow->in.pipe[1] = -1;
	flow->next = relay->flows;
	if (flow->next)
		flow->next->previous = flow;
	relay->flows = flow;
	relay->flow_count++;
	return flow;
}

static void reset_at_close(int fd)
{
	const struct linger at_once = { 1, 0 };

	if (fd >= 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
}

/* Freed later: events of the same turn may still name it. */
void end_flow(struct relay *relay, struct flow *flow, bool reset)
{
	if (flow->over)
		return;
	if (reset) {
		reset_at_close(flow->inner.fd);
		reset_at_close(flow->outer.fd);
	}
	close_source(relay, &flow->inner);
	close_source(relay, &flow->outer);
	close_direction(&flow->out);
	close_direction(&flow->in);
	if (flow->previous)
		flow->previous->next = flow->next;
	else
		relay->flows = flow->next;
	if (flow->next)
		flow->next->previous = flow->previous;
	relay->flow_count--;
	flow->over = true;
	flow->next = relay->dead;
	relay->dead = flow;
}

void free_dead_flows(struct relay *relay)
{
	while (relay->dead) {
		struct flow *flow = relay->dead;
		relay->dead = flow->next;
		free(flow);
	}
}

struct asker asker_of_flow(const struct flow *flow)
{
	return (struct asker){ .from_port = flow->syn.from_port, .to = flow->syn.to, .to_port = flow->syn.to_port };
}

static uint32_t inner_interest(const struct flow *flow)
{
	const bool reads = flow->outer_stands && flow->expects != EXPECTS_UPGRADE && !flow->out.held && !flow->out.ended;

	return (reads || flow->expects == EXPECTS_FIRST_BYTES ? EPOLLIN : 0u) | (flow->in.held ? EPOLLOUT : 0u);
}

/* The run gets no byte of a server before the relay has checked the server's name. */
static uint32_t outer_interest(const struct flow *flow)
{
	const bool reads = flow->expects != EXPECTS_FIRST_BYTES && !flow->in.held && !flow->in.ended;

	return (reads ? EPOLLIN : 0u) | (flow->out.held ? EPOLLOUT : 0u);
}

void set_interest(struct relay *relay, struct flow *flow)
{
	if (flow->over)
		return;
	if (flow->inner.fd >= 0)
		watch_source(relay, &flow->inner, flow->inner_stands ? inner_interest(flow) : EPOLLOUT);
	if (flow->outer.fd >= 0)
		watch_source(relay, &flow->outer,
			     !flow->outer_stands ? EPOLLOUT : flow->inner_stands ? outer_interest(flow) : EPOLLRDHUP);
}
