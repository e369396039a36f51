#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "network/flow.h"

#define PIPE_BYTES (1u << 20)
#define ROUNDS 8

static bool open_pipe(struct direction *direction)
{
	if (direction->pipe[0] >= 0)
		return true;
	if (pipe2(direction->pipe, O_NONBLOCK | O_CLOEXEC) < 0) {
		direction->pipe[0] = direction->pipe[1] = -1;
		return false;
	}
	(void)fcntl(direction->pipe[0], F_SETPIPE_SZ, PIPE_BYTES);
	return true;
}

void close_direction(struct direction *direction)
{
	if (direction->pipe[0] < 0)
		return;
	close(direction->pipe[0]);
	close(direction->pipe[1]);
	direction->pipe[0] = direction->pipe[1] = -1;
}

/* Returns 1 when something was moved or has ended, 0 when nothing waits, -1 when the connection is broken. */
static int fill(struct direction *direction, int from, uint64_t *passes)
{
	size_t most = *passes < PIPE_BYTES ? (size_t)*passes : PIPE_BYTES;

	if (!open_pipe(direction))
		return -1;
	ssize_t moved = splice(from, NULL, direction->pipe[1], NULL, most, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
	if (moved < 0)
		return errno == EAGAIN ? 0 : -1;
	direction->ended = moved == 0;
	direction->held = (size_t)moved;
	if (*passes != PASSES_ALL)
		*passes -= (uint64_t)moved;
	return 1;
}

static int drain(struct direction *direction, int to)
{
	ssize_t moved = splice(direction->pipe[0], NULL, to, NULL, direction->held, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);

	if (moved < 0)
		return errno == EAGAIN ? 0 : -1;
	direction->held -= (size_t)moved;
	return direction->held == 0;
}

static bool pass(struct direction *direction, int from, int to, uint64_t *passes)
{
	int state = 1;

	for (int round = 0; round < ROUNDS && state == 1; round++) {
		if (!direction->held && !direction->ended && *passes > 0)
			state = fill(direction, from, passes);
		else if (!direction->held)
			break;
		if (state == 1 && direction->held)
			state = drain(direction, to);
	}
	if (direction->ended && !direction->held && !direction->shut) {
		(void)shutdown(to, SHUT_WR);
		direction->shut = true;
	}
	return state >= 0;
}

bool pass_out(struct flow *flow)
{
	return pass(&flow->out, flow->inner.fd, flow->outer.fd, &flow->passes);
}

bool pass_in(struct flow *flow)
{
	uint64_t all = PASSES_ALL;

	return pass(&flow->in, flow->outer.fd, flow->inner.fd, &all);
}

bool is_done(const struct flow *flow)
{
	return flow->in.shut && flow->out.shut;
}
