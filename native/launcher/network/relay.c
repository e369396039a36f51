#define _GNU_SOURCE
#include "network/relay.h"

#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "network/asking.h"
#include "network/dns.h"
#include "network/flow.h"
#include "network/fresh_sockets.h"
#include "network/name_requests.h"
#include "network/report.h"

#define EVENTS_AT_ONCE 256
#define LOOK_MS 1000

uint64_t relay_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void watch_source(struct relay *relay, struct source *source, uint32_t events)
{
	struct epoll_event event = { events, { .ptr = source } };
	const int operation = events == 0 ? EPOLL_CTL_DEL : source->watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;

	if (events == 0 && !source->watched)
		return;
	source->watched = epoll_ctl(relay->epoll, operation, source->fd, &event) == 0 && events != 0;
}

void close_source(struct relay *relay, struct source *source)
{
	if (source->fd < 0)
		return;
	watch_source(relay, source, 0);
	close(source->fd);
	source->fd = -1;
}

static void serve(struct relay *relay, struct source *source, uint32_t events)
{
	struct flow *flow = source->owner;

	switch (source->kind) {
	case SOURCE_SYNS: take_syns(relay, source); return;
	case SOURCE_ACCEPT: accept_flows(relay, source); return;
	case SOURCE_NAME_DATAGRAMS: answer_datagrams(relay, source); return;
	case SOURCE_NAME_LISTENER: accept_name_stream(relay, source); return;
	case SOURCE_NAME_STREAM: answer_name_stream(relay, source); return;
	case SOURCE_QUERY: take_name_answer(relay, source->owner); return;
	case SOURCE_INNER:
		if (!flow->over)
			inner_ready(relay, flow, events);
		return;
	case SOURCE_OUTER:
		if (!flow->over)
			outer_ready(relay, flow, events);
		return;
	case SOURCE_ANSWERS: take_answers(relay); return;
	}
}

static int wait_ms(const struct relay *relay, bool has_fresh)
{
	return !has_fresh || relay->looks_again ? 0 : relay->flow_count || relay->query_count ? LOOK_MS : -1;
}

/* A query or a name stream has one entry in the epoll set, and only the event of this entry frees it. So no later event of the same
 * turn can name it. A flow has several entries, and is therefore freed after the turn. */
void run_relay(struct relay *relay)
{
	struct epoll_event events[EVENTS_AT_ONCE];
	uint64_t looked_at = 0;
	bool has_fresh = false;

	for (;;) {
		const bool last_look = relay->looks_again;
		int count = epoll_wait(relay->epoll, events, EVENTS_AT_ONCE, wait_ms(relay, has_fresh));
		for (int i = 0; i < count; i++)
			serve(relay, events[i].data.ptr, events[i].events);
		free_dead_flows(relay);
		if (last_look) {
			relay->looks_again = false;
			report_looked(relay);
		}
		has_fresh = count <= 0 ? !make_fresh_socket(relay) : false;
		const uint64_t now = relay_now_ms();
		if (now - looked_at < LOOK_MS)
			continue;
		looked_at = now;
		look_at_queries(relay, now);
		look_at_flows(relay, now);
	}
}
