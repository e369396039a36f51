/* How a run ends: by itself, by a signal, by the clock, or by a limit. */
#ifndef ION_COURSE_H
#define ION_COURSE_H

#include <stdbool.h>
#include <stdint.h>

#include "tree/left_behind.h"
#include "limits/limits.h"
#include "report/report.h"
#include "supervise/supervise.h"
#include "supervise/terminal.h"

#define NEVER UINT64_MAX

struct course {
	const struct supervision *run;
	struct ending ending;
	struct limit_watch limits;
	struct left_behind left;
	struct terminal terminal;
	struct termios job_modes; /* while `job_stopped` */
	bool command_ended, none_left, ion_stopped, job_stopped;
	bool held; /* the tree is stopped, because the user is asked a question (questions.h) */
	bool moved; /* it was continued since the question was shown */
	uint64_t held_at;
	pid_t held_group; /* with a job: the foreground group before that */
	uint64_t timeout_at, kill_at, sample_at, look_at, give_up_at, let_go_at; /* CLOCK_BOOTTIME milliseconds, or NEVER */
};

uint64_t now_ms(void);

/* Reaps processes that have ended, and notes those that were stopped. */
void reap(struct course *course);

/* SIGCONT arrived. A job continues only in the foreground, and only at ion's request: the signal also reaches ion's process group,
 * and stopped jobs of ion must stay stopped. */
void go_on(struct course *course, bool from_ion);

/* Signal the whole tree to end, continue stopped processes, and set the time of the kill. The first reason counts. */
void begin_ending(struct course *course, const char *because, int signal, bool send);

/* With `look`, also checks every limit that has no event of its own. */
void look_at_limits(struct course *course, bool look);

/* The timeout for poll(2), in milliseconds. After it act_on_clock does what is due. */
int poll_timeout(const struct course *course);
void act_on_clock(struct course *course);

bool is_over(const struct course *course);

/* A limit that was passed just before the command ended, and may have ended it. */
void look_at_the_end(struct course *course);

#endif
