#define _GNU_SOURCE
#include "supervise/course.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "network/relay_reports.h"
#include "supervise/questions.h"
#include "supervise/task.h"
#include "tree/first_process.h"
#include "tree/kill_tree.h"
#include "tree/signal_tree.h"
#include "tree/tree.h"

#define SAMPLE_MS 50
#define SAMPLES_APART 10 /* times their own duration */
#define LEFT_BEHIND_MS 500
#define LOOK_MS 20
#define UNKILLABLE_MS 2000 /* after the kill of a command that waits for a file system: not even SIGKILL ends that */

/* BOOTTIME advances while the machine sleeps: a time limit is about wall-clock time. */
uint64_t now_ms(void)
{
	return milliseconds(CLOCK_BOOTTIME);
}

/* Signal the whole tree to end, continue stopped processes, and set the time of the kill. */
void begin_ending(struct course *course, const char *because, int signal, bool send)
{
	if (strcmp(course->ending.because, "itself") != 0)
		return;
	course->ending.because = because;
	course->ending.signal = signal;
	drop_questions(course);
	let_go(course);
	if (send)
		signal_tree(signal);
	signal_tree(SIGCONT);
	course->look_at = NEVER;
	course->kill_at = now_ms() + course->run->options->grace_ms;
}

static void kill_command(struct course *course)
{
	kill_cgroup(&course->limits.cgroup);
	kill_first();
	signal_tree(SIGKILL);
	course->kill_at = course->look_at = NEVER;
	course->give_up_at = now_ms() + UNKILLABLE_MS;
}

/* ion goes on with its prompt. For ion, a job that another process continues in the background is still stopped. */
static void stop_job(struct course *course, int signal)
{
	if (course->job_stopped)
		return;
	course->job_stopped = true;
	take_terminal_back(&course->terminal, &course->job_modes);
	report_stopped(course->run->control, signal);
}

void go_on(struct course *course, bool from_ion)
{
	if (course->held) {
		hold_on(course);
		return;
	}
	if (course->run->options->job && !from_ion)
		return;
	if (course->job_stopped)
		hand_terminal_over(&course->terminal, getpgid(course->run->command), &course->job_modes);
	course->ion_stopped = course->job_stopped = false;
	signal_tree(SIGCONT);
}

/* The command was stopped: stop ion as well, so that the user's shell sees a stopped job. The launcher itself continues: it
 * enforces the time limit. */
static void follow_stop(struct course *course, int signal)
{
	if (course->run->options->job) {
		stop_job(course, signal);
		return;
	}
	/* Without a terminal there is no shell that sees a stopped job, and no user who continues it. */
	if (!course->terminal.valid || !course->terminal.stream)
		return;
	course->ion_stopped = true;
	report_stopped(course->run->control, signal);
	signal_ion(course->run->ion, SIGSTOP);
}

/* Servers and other processes that the command has left behind end with it. They may first save their open files. */
static void end_left_behind(struct course *course)
{
	const uint64_t now = now_ms();

	course->look_at = look_at_left_behind(&course->left, now) ? now + LOOK_MS : NEVER;
	if (course->look_at == NEVER)
		course->kill_at = now + LEFT_BEHIND_MS;
}

static void report_met(const struct course *course, struct passed met)
{
	if (met.limit)
		report_limit(course->run->control, met.limit, met.value, met.pid, reported_inside(course->run->options, met.pid));
}

/* The run's process 1 and the relay remain until they are killed. Neither counts as a process of the tree. */
static bool only_own_are_left(const struct course *course)
{
	return (first_process() || course->run->relay->pid > 0) && walk_tree(NULL) == 0;
}

void reap(struct course *course)
{
	bool ended_now = false;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED | __WALL)) > 0) {
		if (pid == course->run->relay->pid) {
			relay_has_ended(course->run->relay);
			continue;
		}
		report_met(course, ended_by_limit(&course->limits, pid, status));
		if (pid != course->run->command)
			continue;
		if (WIFSTOPPED(status)) {
			if (!course->held)
				follow_stop(course, WSTOPSIG(status));
			continue;
		}
		course->command_ended = ended_now = true;
		course->ending.status = status;
	}
	course->none_left = pid < 0 ? errno == ECHILD : course->command_ended && only_own_are_left(course);
	if (!ended_now || course->none_left)
		return;
	ask_first_to_end();
	if (course->kill_at == NEVER)
		end_left_behind(course);
}

static void end_by_limit(struct course *course, const char *limit, uint64_t value)
{
	if (strcmp(course->ending.because, "limit") == 0)
		return;
	course->ending.because = "limit";
	report_limit(course->run->control, limit, value, 0, 0);
	kill_command(course);
}

void look_at_limits(struct course *course, bool look)
{
	struct passed passed = find_passed(&course->limits, look);

	if (passed.limit)
		end_by_limit(course, passed.limit, passed.value);
}

static void sample(struct course *course)
{
	const uint64_t begun = now_ms();

	look_at_limits(course, true);
	report_met(course, find_met(&course->limits));
	/* Uses at most a tenth of the time: with many processes a check takes long. */
	const uint64_t now = now_ms(), rest = SAMPLES_APART * (now - begun);
	course->sample_at = now + (rest > SAMPLE_MS ? rest : SAMPLE_MS);
}

/* A limit that was passed just before the command ended, and may have ended it. */
void look_at_the_end(struct course *course)
{
	uint64_t value;

	if (!course->command_ended) {
		course->ending.status = SIGKILL; /* what it got */
		return;
	}
	look_at_limits(course, false);
	report_met(course, find_met(&course->limits));
	if (ended_by_cpu(&course->limits, course->ending.status, &value))
		end_by_limit(course, "cpu", value);
}

/* While a question stands, the command has no time. */
static uint64_t time_limit(const struct course *course)
{
	return course->held ? NEVER : course->timeout_at;
}

int poll_timeout(const struct course *course)
{
	const uint64_t times[] = { time_limit(course), course->kill_at, course->sample_at, course->look_at, course->give_up_at,
				   course->let_go_at };
	uint64_t next = NEVER;

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (times[i] < next)
			next = times[i];
	if (next == NEVER)
		return -1;
	uint64_t now = now_ms();
	uint64_t wait = next > now ? next - now : 0;
	return wait > 3600000 ? 3600000 : (int)wait;
}

static void end_by_timeout(struct course *course)
{
	const uint64_t signal = course->run->options->timeout_signal;

	course->timeout_at = NEVER;
	begin_ending(course, "timeout", signal ? (int)signal : SIGTERM, true);
}

void act_on_clock(struct course *course)
{
	uint64_t now = now_ms();

	if (now >= time_limit(course))
		end_by_timeout(course);
	if (now >= course->look_at)
		end_left_behind(course);
	if (now >= course->kill_at)
		kill_command(course);
	if (now >= course->sample_at)
		sample(course);
}

/* The command may have ended by the signal it was sent while others of its tree are still closing down. */
bool is_over(const struct course *course)
{
	if (!course->command_ended)
		return now_ms() >= course->give_up_at;
	if (strcmp(course->ending.because, "ion-gone") == 0)
		return true;
	bool closing = course->kill_at != NEVER || course->look_at != NEVER;
	return !closing || course->none_left;
}
