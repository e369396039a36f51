#define _GNU_SOURCE
#include "supervise/supervise.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervise/acts.h"
#include "supervise/answerers.h"
#include "supervise/course.h"
#include "tree/kill_tree.h"
#include "cleanup/remove_folder.h"
#include "supervise/notify.h"
#include "supervise/pump.h"
#include "supervise/questions.h"
#include "network/relay_reports.h"
#include "report/report.h"
#include "supervise/terminal.h"
#include "tree/signal_tree.h"
#include "tree/tree.h"
#include "report/violations.h"

#define KILL_LIMIT_MS 10000
#define SAME_SIGNAL_MS 1000
#define DRAIN_MS 30000
#define ACTS_LIMIT_MS 2000

struct state {
	struct course course;
	int setup_writer;
	struct watch watch; /* listener -1: none */
	int streams[STREAMS]; /* the run's standard streams, or -1 */
	bool set_up_failed;
	uint64_t direct_at[NSIG]; /* when the launcher itself last got the signal: a terminal sends it to the whole process group */
	sigset_t early; /* not handled yet */
};

void supervised_signals(sigset_t *set)
{
	sigemptyset(set);
	const int numbers[] = { SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU,
			      SIGCONT, SIGUSR1, SIGUSR2, SIGPIPE, SIGIO };
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(set, numbers[i]);
}

/* Signals to ion reach the command through here. A signal from a terminal or to the process group has also reached the launcher and
 * the command. ion's copy of it is not passed on, because a second Ctrl-C makes many programs give up at once. A signal before the
 * fork has not reached the command. */
static void take_signal(struct state *state, const struct signalfd_siginfo *info)
{
	int signal = (int)info->ssi_signo;
	bool from_ion = info->ssi_code == SI_USER && (pid_t)info->ssi_pid == state->course.run->ion;
	bool early = sigismember(&state->early, signal) == 1;
	bool has_it = !early && (!from_ion || now_ms() - state->direct_at[signal] < SAME_SIGNAL_MS);

	sigdelset(&state->early, signal);
	if (!from_ion)
		state->direct_at[signal] = now_ms();
	switch (signal) {
	case SIGCHLD: reap(&state->course); return;
	case SIGCONT: go_on(&state->course, from_ion); return;
	case SIGTERM:
	case SIGHUP: begin_ending(&state->course, "signal", signal, !has_it); return;
	case SIGINT:
	case SIGQUIT:
	case SIGUSR2:
		if (!has_it)
			signal_tree(signal);
		return;
	case SIGTSTP: stop_at_question(&state->course); return;
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

/* After the start ion writes only answers to questions. Its end of file means that it is gone. */
static bool ion_is_gone(struct course *course)
{
	unsigned char byte;
	ssize_t length = recv(course->run->control, &byte, 1, MSG_DONTWAIT);

	if (length == 1 && byte == HOLD_AGAIN)
		hold_again(course);
	else if (length == 1 && byte >= FIRST_ANSWER)
		take_answer(course, byte);
	return length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR);
}

/* A listener that is not served must be closed: otherwise every notified call would wait for ever. After the close the calls
 * fail. */
static void take_listener(struct state *state, const struct setup_message *message)
{
	state->watch.listener = message->listener;
	state->watch.diag = message->diag;
	state->watch.kept = message->kept;
	if (message->listener < 0)
		return;
	if (open_watch(&state->watch, state->course.run->command) == 0 && start_answering(&state->watch) == 0)
		return;
	close(message->listener);
	state->watch.listener = -1;
}

/* The launcher's own copy of the writing end must stay open while the child shares the descriptor table. It must be closed
 * before the end of file can be seen. Reads all data: a child that failed is reaped right after this. */
static void take_setup_messages(struct state *state, struct pollfd *setup)
{
	struct setup_message message;
	ssize_t length;

	while ((length = read(setup->fd, &message, sizeof(message))) == (ssize_t)sizeof(message)) {
		if (message.error) {
			state->set_up_failed = true;
			report_failed(state->course.run->control, message.step, message.error, message.detail);
		} else {
			close(state->setup_writer);
			leave_relay(state->course.run->relay);
			begin_pumping();
			for (int stream = 0; stream < STREAMS; stream++)
				if (message.streams[stream] >= 0)
					state->streams[stream] = message.streams[stream];
			take_listener(state, &message);
		}
	}
	if (length != 0)
		return;
	if (!state->set_up_failed)
		report_started(state->course.run->control, state->course.run->command,
			       reported_inside(state->course.run->options, state->course.run->command));
	setup->fd = -1;
}

/* In milliseconds, or -1. */
static int next_due(const struct course *course)
{
	const int clock = poll_timeout(course), answers = answers_due_in();

	return clock < 0 || (answers >= 0 && answers < clock) ? answers : clock;
}

static int serve(struct state *state, int signals)
{
	struct pollfd waits[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = state->course.run->control, .events = POLLIN },
		{ .fd = state->course.run->setup, .events = POLLIN },
		{ .fd = state->course.limits.cgroup.memory_events, .events = POLLPRI },
		{ .fd = state->course.limits.cgroup.pids_events, .events = POLLPRI },
		{ .fd = state->course.run->relay->reports, .events = POLLIN },
	};
	const nfds_t count = sizeof(waits) / sizeof(waits[0]);

	while (!is_over(&state->course)) {
		waits[1].events = POLLIN | (report_waits() ? POLLOUT : 0);
		if (poll(waits, count, next_due(&state->course)) < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (waits[2].revents)
			take_setup_messages(state, &waits[2]);
		if (check_answers() < 0)
			return -EIO;
		if (waits[5].revents && !take_relay_reports(state->course.run->relay, &state->watch))
			waits[5].fd = -1;
		if (waits[3].revents | waits[4].revents)
			look_at_limits(&state->course, false);
		if (waits[0].revents && !drain_signals(state, signals))
			return -EIO;
		if (waits[1].revents & POLLOUT)
			report_flush(waits[1].fd);
		if (waits[1].revents & ~POLLOUT && ion_is_gone(&state->course)) {
			state->course.ending.because = "ion-gone";
			return 0;
		}
		follow_questions(&state->course, &state->watch);
		act_on_clock(&state->course);
	}
	return 0;
}

#define UNREAD_MS 500 /* for data written at the end of the run, when its reader may be gone */

/* Waits for the reader, as the command itself would have done. A signal could end the command in that time, so it ends this wait
 * too. */
static void finish_pumping(struct state *state, int signals)
{
	struct pollfd waits[] = {
		{ .fd = pumps_descriptor(), .events = POLLIN },
		{ .fd = signals, .events = POLLIN },
		{ .fd = state->course.run->control, .events = POLLIN },
	};
	uint64_t until = NEVER;

	while (!pumps_are_done()) {
		const uint64_t now = now_ms();
		if (until == NEVER && strcmp(state->course.ending.because, "itself") != 0)
			until = now + UNREAD_MS;
		if (now >= until || poll(waits, 3, until == NEVER ? 1000 : (int)(until - now)) < 0)
			return;
		if (waits[1].revents && !drain_signals(state, signals))
			return;
		if (waits[2].revents && ion_is_gone(&state->course))
			return;
		if (now >= state->course.timeout_at)
			state->course.ending.because = "timeout";
	}
}

int supervise(const struct supervision *run, int setup_writer)
{
	const struct options *options = run->options;
	/* It is static, because an answering thread may return from a file system while the launcher exits. */
	static struct state state;
	state = (struct state){
		.course = {
			.run = run,
			.limits = { .options = options, .cgroup = run->cgroup, .command = run->command },
			.ending = { .because = "itself" },
			.terminal = run->terminal,
			.timeout_at = options->timeout_ms ? now_ms() + options->timeout_ms : NEVER,
			.kill_at = NEVER,
			.sample_at = NEVER,
			.look_at = NEVER,
			.give_up_at = NEVER,
			.let_go_at = NEVER,
		},
		.setup_writer = setup_writer,
		.early = run->early,
		.watch = { options, run->control, -1, -1, -1, NO_KEPT_MOUNTS },
	};
	sigset_t set;

	memcpy(state.streams, run->streams, sizeof(state.streams));
	if (is_sampled(&state.course.limits))
		state.course.sample_at = 0;

	supervised_signals(&set);
	int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	int error = signals < 0 ? -errno : 0;
	if (!error && options->limits.disk)
		error = open_disk(options->disk_roots, &state.course.limits.disk);
	if (!error)
		error = serve(&state, signals);
	look_at_the_end(&state.course);
	close_disk(&state.course.limits.disk);
	kill_cgroup(&state.course.limits.cgroup);
	if (strcmp(state.course.ending.because, "ion-gone") != 0)
		take_last_reports(run->relay, &state.watch);
	end_relay(run->relay);
	state.course.ending.left = kill_tree(KILL_LIMIT_MS);
	if (state.course.ending.left >= 0 && state.course.ending.left < state.course.left.asked)
		state.course.ending.left = state.course.left.asked;
	stop_acts(ACTS_LIMIT_MS);
	remove_cgroup(&state.course.limits.cgroup);
	finish_pumping(&state, signals);
	if (strcmp(state.course.ending.because, "ion-gone") == 0)
		remove_folders(options->cleanup);
	if (!state.course.job_stopped)
		restore_terminal(&state.course.terminal, WIFSIGNALED(state.course.ending.status));
	let_go_of_streams(state.streams);
	/* The run ended while the job was stopped (a time limit): ion has to run to report it. */
	if (state.course.ion_stopped)
		signal_ion(run->ion, SIGCONT);
	getrusage(RUSAGE_CHILDREN, &state.course.ending.usage);
	if (error)
		report_failed(run->control, "supervise", -error, NULL);
	else if (!state.set_up_failed) {
		count_relay_reports(run->relay);
		report_violation_counts(run->control);
		state.course.ending.connections = connections_of(run->relay);
		report_finished(run->control, &state.course.ending);
	}
	report_drain(run->control, DRAIN_MS);
	/* The end of file for ion: a thread in a file system that never answers keeps the descriptor open. */
	(void)shutdown(run->control, SHUT_WR);
	return error;
}
