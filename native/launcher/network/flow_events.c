/* The events of an open connection: an end can be read, can be written, has opened or has failed. */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "network/flow.h"

#define FIRST_BYTES_MS 30000

static int last_error(int fd)
{
	int error = 0;
	socklen_t length = sizeof(error);

	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) < 0 ? errno : error;
}

static void after_passing(struct relay *relay, struct flow *flow, bool passed)
{
	if (!passed || is_done(flow))
		end_flow(relay, flow, !passed);
	else
		set_interest(relay, flow);
}

static bool look_and_pass(struct relay *relay, struct flow *flow)
{
	if (!flow->out.held && flow->passes == 0 && flow->expects != EXPECTS_UPGRADE) {
		look_inside(relay, flow);
		if (flow->over)
			return true;
	}
	return !flow->outer_stands || (flow->passes == 0 && !flow->out.held) || pass_out(flow);
}

void inner_ready(struct relay *relay, struct flow *flow, uint32_t events)
{
	bool passed = true;

	if (!flow->inner_stands) {
		if (last_error(flow->inner.fd) || !(events & EPOLLOUT) || events & (EPOLLERR | EPOLLHUP)) {
			end_flow(relay, flow, true);
			return;
		}
		flow->inner_stands = true;
		set_interest(relay, flow);
		return;
	}
	if (events & EPOLLERR)
		passed = false;
	if (passed && events & (EPOLLIN | EPOLLHUP))
		passed = look_and_pass(relay, flow);
	if (!flow->over && passed && events & EPOLLOUT)
		passed = pass_in(flow);
	if (!flow->over)
		after_passing(relay, flow, passed);
}

/* If the server of a name does not answer in time, the run gets the error that it would get outside. */
static void outer_failed(struct relay *relay, struct flow *flow, int error)
{
	if (!flow->inner_stands)
		refuse_syn(relay, &flow->syn, error == ETIMEDOUT ? EHOSTUNREACH : error);
	end_flow(relay, flow, true);
}

static void outer_opened(struct relay *relay, struct flow *flow)
{
	flow->outer_stands = true;
	if (!flow->inner_stands) {
		int fd = connect_inside(relay, &flow->syn);
		if (fd < 0) {
			outer_failed(relay, flow, ECONNREFUSED);
			return;
		}
		flow->inner.fd = fd;
	}
	set_interest(relay, flow);
}

void outer_ready(struct relay *relay, struct flow *flow, uint32_t events)
{
	bool passed = true;

	if (!flow->outer_stands) {
		int error = last_error(flow->outer.fd);
		if (error || events & EPOLLHUP)
			outer_failed(relay, flow, error ? error : ECONNREFUSED);
		else
			outer_opened(relay, flow);
		return;
	}
	if (!flow->inner_stands) { /* it ended before the run's side stood: that side tells */
		watch_source(relay, &flow->outer, 0);
		return;
	}
	if (events & EPOLLERR)
		passed = false;
	if (flow->expects == EXPECTS_UPGRADE && events & EPOLLIN)
		look_at_upgrade(flow);
	if (passed && events & (EPOLLIN | EPOLLHUP))
		passed = pass_in(flow);
	if (passed && events & EPOLLOUT)
		passed = pass_out(flow);
	after_passing(relay, flow, passed);
}

void look_at_flows(struct relay *relay, uint64_t now)
{
	for (struct flow *flow = relay->flows, *next; flow; flow = next) {
		next = flow->next;
		if (flow->inner_stands && flow->expects == EXPECTS_FIRST_BYTES && now - flow->since > FIRST_BYTES_MS)
			end_flow(relay, flow, true);
	}
}
