#define _GNU_SOURCE
#include "supervise.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "kill_tree.h"
#include "leftovers.h"
#include "limits.h"
#include "notify.h"
#include "report.h"
#include "terminal.h"
#include "tree.h"
#include "violations.h"

#define NEVER UINT64_MAX
#define SAMPLE_MS 50
#define KILL_LIMIT_MS 10000
#define SAME_SIGNAL_MS 1000
#define DRAIN_MS 30000

struct state {
	const struct supervision *run;
	struct ending ending;
	int setup_writer;
	struct watch watch; /* listener -1: none */
	int streams[STREAMS]; /* as they were given, or -1 */
	struct limit_watch limits;
	bool set_up_failed, command_ended, none_left, ion_stopped;
	uint64_t timeout_at, kill_at, sample_at; /* CLOCK_BOOTTIME milliseconds, or NEVER */
	uint64_t direct_at[NSIG]; /* when a signal came to the launcher itself, as with a whole process group */
	sigset_t early; /* not taken yet */
	struct terminal terminal;
};

/* BOOTTIME goes on while the machine sleeps: a time limit is about the clock on the wall. */
static uint64_t now_ms(void)
{
	return milliseconds(CLOCK_BOOTTIME);
}

void supervised_signals(sigset_t *set)
{
	sigemptyset(set);
	const int taken[] = { SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU,
			      SIGCONT, SIGUSR1, SIGUSR2, SIGPIPE };
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		sigaddset(set, taken[i]);
}

/* Ask the whole tree to end, wake what is stopped, and set the hour of the kill. */
static void begin_ending(struct state *state, const char *because, int signal, bool send)
{
	if (strcmp(state->ending.because, "itself") != 0)
		return;
	state->ending.because = because;
	state->ending.signal = signal;
	if (send)
		signal_tree(signal);
	signal_tree(SIGCONT);
	state->kill_at = now_ms() + state->run->options->grace_ms;
}

static void kill_command(struct state *state)
{
	kill_cgroup(&state->limits.cgroup);
	signal_tree(SIGKILL);
	state->kill_at = NEVER;
}

/* The command was stopped: stop ion as well, so that the user's shell sees a stopped job. The launcher itself
 * goes on: it has the time limit to keep. */
static void follow_stop(struct state *state, int signal)
{
	/* Without a terminal there is no shell to see a stopped job, and nobody to continue it. */
	if (!state->terminal.valid)
		return;
	state->ion_stopped = true;
	report_stopped(state->run->control, signal);
	kill(state->run->ion, SIGSTOP);
}

static void tell_met(const struct state *state, struct passed met)
{
	if (met.limit)
		report_limit(state->run->control, met.limit, met.value, met.pid);
}

static void reap(struct state *state)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED | __WALL)) > 0) {
		tell_met(state, ended_by_limit(&state->limits, pid, status));
		if (pid != state->run->command)
			continue;
		if (WIFSTOPPED(status)) {
			follow_stop(state, WSTOPSIG(status));
			continue;
		}
		state->command_ended = true;
		state->ending.status = status;
	}
	state->none_left = pid < 0 && errno == ECHILD;
}

/* Signals to ion reach the command through here. What a terminal or a kill(2) of the process group sends came to the
 * launcher as well, and so to the command: ion's copy of it is not passed on, because a second Ctrl-C makes many
 * programs give up at once. One that came before the fork the command has not got. */
static void take_signal(struct state *state, const struct signalfd_siginfo *info)
{
	int signal = (int)info->ssi_signo;
	bool from_ion = info->ssi_code == SI_USER && (pid_t)info->ssi_pid == state->run->ion;
	bool early = sigismember(&state->early, signal) == 1;
	bool has_it = !early && (!from_ion || now_ms() - state->direct_at[signal] < SAME_SIGNAL_MS);

	sigdelset(&state->early, signal);
	if (!from_ion)
		state->direct_at[signal] = now_ms();
	switch (signal) {
	case SIGCHLD: reap(state); return;
	case SIGCONT:
		state->ion_stopped = false;
		signal_tree(SIGCONT);
		return;
	case SIGTERM:
	case SIGHUP: begin_ending(state, "signal", signal, !has_it); return;
	case SIGINT:
	case SIGQUIT:
	case SIGUSR2:
		if (!has_it)
			signal_tree(signal);
		return;
	default: return;
	}
}

static bool drain_signals(struct state *state, int signals)
{
	struct signalfd_siginfo info[16];
	ssize_t length;

	while ((length = read(signals, info, sizeof(info))) > 0)
		for (size_t i = 0; i < (size_t)length / sizeof(info[0]); i++)
			take_signal(state, &info[i]);
	return length < 0 && (errno == EAGAIN || errno == EINTR);
}

/* ion never writes after the start: anything readable is its end of file. */
static bool ion_is_gone(int control)
{
	char byte;
	ssize_t length = recv(control, &byte, 1, MSG_DONTWAIT);

	return length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR);
}

static void end_by_limit(struct state *state, const char *limit, uint64_t value)
{
	if (strcmp(state->ending.because, "limit") == 0)
		return;
	state->ending.because = "limit";
	report_limit(state->run->control, limit, value, 0);
	kill_command(state);
}

static void look_at_limits(struct state *state, bool look)
{
	struct passed passed = find_passed(&state->limits, look);

	if (passed.limit)
		end_by_limit(state, passed.limit, passed.value);
}

static void sample(struct state *state)
{
	state->sample_at = now_ms() + SAMPLE_MS;
	look_at_limits(state, true);
	tell_met(state, find_met(&state->limits));
}

/* What was passed just before the command ended, and may have ended it. */
static void look_at_the_end(struct state *state)
{
	uint64_t value;

	if (!state->command_ended)
		return;
	look_at_limits(state, false);
	if (ended_by_cpu(&state->limits, state->ending.status, &value))
		end_by_limit(state, "cpu", value);
}

static int poll_timeout(const struct state *state)
{
	uint64_t next = state->timeout_at < state->kill_at ? state->timeout_at : state->kill_at;

	if (state->sample_at < next)
		next = state->sample_at;
	if (next == NEVER)
		return -1;
	uint64_t now = now_ms();
	uint64_t wait = next > now ? next - now : 0;
	return wait > 3600000 ? 3600000 : (int)wait;
}

static void act_on_clock(struct state *state)
{
	uint64_t now = now_ms();

	if (now >= state->timeout_at) {
		state->timeout_at = NEVER;
		begin_ending(state, "timeout", SIGTERM, true);
	}
	if (now >= state->kill_at)
		kill_command(state);
	if (now >= state->sample_at)
		sample(state);
}

/* The command may have ended by the signal it was sent while others of its tree are still closing down. */
static bool is_over(const struct state *state)
{
	if (!state->command_ended)
		return false;
	bool closing = state->kill_at != NEVER && strcmp(state->ending.because, "ion-gone") != 0;
	return !closing || state->none_left;
}

/* A listener that cannot be served must not be left: every notified call would wait for ever. Closed, they fail. */
static void take_listener(struct state *state, const struct setup_message *message)
{
	state->watch.listener = message->listener;
	state->watch.diag = message->diag;
	if (message->listener < 0 || open_watch(&state->watch, state->run->command) == 0)
		return;
	close(message->listener);
	state->watch.listener = -1;
}

/* Nobody is left under the filter, and nobody can come: polled on, it would be ready at once, for as long as the last of
 * them takes to be gone (its mount namespace goes first, which waits for RCU). */
static void drop_listener(struct state *state)
{
	close(state->watch.listener);
	state->watch.listener = -1;
}

/* The launcher's own copy of the writing end must stay open while the child shares the descriptor table, and must be
 * closed before the end of file can be seen. Reads all there is: a child that failed is reaped right after this. */
static void take_setup_messages(struct state *state, struct pollfd *setup)
{
	struct setup_message message;
	ssize_t length;

	while ((length = read(setup->fd, &message, sizeof(message))) == (ssize_t)sizeof(message)) {
		if (message.error) {
			state->set_up_failed = true;
			report_failed(state->run->control, message.step, message.error, message.detail);
		} else {
			close(state->setup_writer);
			memcpy(state->streams, message.streams, sizeof(state->streams));
			take_listener(state, &message);
		}
	}
	if (length != 0)
		return;
	if (!state->set_up_failed)
		report_started(state->run->control, state->run->command);
	setup->fd = -1;
}

static int serve(struct state *state, int signals)
{
	struct pollfd waits[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = state->run->control, .events = POLLIN },
		{ .fd = state->run->setup, .events = POLLIN },
		{ .fd = -1, .events = POLLIN },
		{ .fd = state->limits.cgroup.memory_events, .events = POLLPRI },
		{ .fd = state->limits.cgroup.pids_events, .events = POLLPRI },
	};
	const nfds_t count = sizeof(waits) / sizeof(waits[0]);

	while (!is_over(state)) {
		waits[1].events = POLLIN | (report_waits() ? POLLOUT : 0);
		if (poll(waits, count, poll_timeout(state)) < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (waits[2].revents)
			take_setup_messages(state, &waits[2]);
		if (waits[3].revents & POLLIN && serve_notification(&state->watch) < 0)
			return -EIO;
		if (waits[3].revents & POLLHUP)
			drop_listener(state);
		waits[3].fd = state->watch.listener;
		if (waits[4].revents | waits[5].revents)
			look_at_limits(state, false);
		if (waits[0].revents && !drain_signals(state, signals))
			return -EIO;
		if (waits[1].revents & POLLOUT)
			report_flush(waits[1].fd);
		if (waits[1].revents & ~POLLOUT && ion_is_gone(waits[1].fd)) {
			state->ending.because = "ion-gone";
			return 0;
		}
		act_on_clock(state);
	}
	return 0;
}

int supervise(const struct supervision *run, int setup_writer)
{
	const struct options *options = run->options;
	struct state state = {
		.run = run,
		.setup_writer = setup_writer,
		.early = run->early,
		.watch = { options, run->control, -1, -1, -1 },
		.streams = { -1, -1, -1 },
		.limits = { .options = options, .cgroup = run->cgroup, .command = run->command },
		.ending = { .because = "itself" },
		.timeout_at = options->timeout_ms ? now_ms() + options->timeout_ms : NEVER,
		.kill_at = NEVER,
		.sample_at = NEVER,
	};
	sigset_t set;

	if (is_sampled(&state.limits))
		state.sample_at = 0;

	supervised_signals(&set);
	int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	int error = signals < 0 ? -errno : 0;
	if (!error && options->limits.disk)
		error = open_disk(options->disk_roots, &state.limits.disk);
	if (!error) {
		remember_terminal(&state.terminal);
		error = serve(&state, signals);
	}
	/* Whoever waits for an answer gets ENOSYS now, and can be killed. */
	if (state.watch.listener >= 0)
		close(state.watch.listener);
	look_at_the_end(&state);
	close_disk(&state.limits.disk);
	kill_cgroup(&state.limits.cgroup);
	state.ending.left = kill_tree(KILL_LIMIT_MS);
	remove_cgroup(&state.limits.cgroup);
	if (strcmp(state.ending.because, "ion-gone") == 0)
		remove_folders(options->leftovers);
	restore_terminal(&state.terminal, WIFSIGNALED(state.ending.status));
	return_positions(state.streams);
	/* The end came while the job stood still (a time limit): ion has to be there to tell it. */
	if (state.ion_stopped)
		kill(run->ion, SIGCONT);
	getrusage(RUSAGE_CHILDREN, &state.ending.usage);
	if (error)
		report_failed(run->control, "supervise", -error, NULL);
	else if (!state.set_up_failed) {
		report_violation_counts(run->control);
		report_finished(run->control, &state.ending);
	}
	report_drain(run->control, DRAIN_MS);
	return error;
}
