#define _GNU_SOURCE
#include "supervise/questions.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "network/relay_reports.h"
#include "tree/hold_tree.h"
#include "tree/signal_tree.h"

/* Enough for a name server that answers. The run's own resolver asks again after it. */
#define ANSWER_MS 3000

/* A job has the terminal: ion needs it back, to read the answer. */
static bool hold(struct course *course)
{
	const bool job = course->run->options->job;

	if (course->held)
		return true;
	if (course->job_stopped || strcmp(course->ending.because, "itself") != 0 || !hold_tree())
		return false;
	course->held = true;
	course->held_at = now_ms();
	if (job && course->terminal.valid) {
		course->held_group = tcgetpgrp(course->terminal.fd);
		take_terminal_back(&course->terminal, &course->job_modes);
	}
	return true;
}

void let_go(struct course *course)
{
	if (!course->held)
		return;
	/* The command had no time while it was stopped. */
	if (course->timeout_at != NEVER)
		course->timeout_at += now_ms() - course->held_at;
	course->held = course->moved = false;
	course->let_go_at = NEVER;
	if (course->run->options->job)
		hand_terminal_over(&course->terminal, course->held_group, &course->job_modes);
	signal_tree(SIGCONT);
}

void stop_at_question(struct course *course)
{
	if (course->held)
		signal_ion(course->run->ion, SIGSTOP);
}

static void drop_question(struct course *course, size_t number)
{
	struct relay_process *relay = course->run->relay;
	const bool is_shown = relay->questions[number].state == ASKED_ION;

	(void)answer_question(relay, number, false);
	relay->questions[number].state = IS_OVER;
	if (is_shown)
		report_answer(course->run->control, number, false);
}

void drop_questions(struct course *course)
{
	for (size_t i = 0; i < course->run->relay->question_count; i++)
		if (course->run->relay->questions[i].state != IS_OVER)
			drop_question(course, i);
}

void hold_on(struct course *course)
{
	course->moved = true;
	if (hold_tree())
		return;
	drop_questions(course);
	let_go(course);
}

void hold_again(struct course *course)
{
	if (!course->held)
		return;
	if (hold_tree()) {
		course->moved = false;
		report_held(course->run->control);
		return;
	}
	drop_questions(course);
	let_go(course);
}

void take_answer(struct course *course, unsigned char byte)
{
	const unsigned answer = byte - FIRST_ANSWER;
	/* If the tree ran meanwhile, it could have written over the question. The yes may then answer other words. */
	const bool stood = course->held && !course->moved && tree_stood_still();
	const bool passed_on = answer_question(course->run->relay, answer / 2, answer % 2 && stood);

	report_answer(course->run->control, answer / 2, passed_on && (stood || answer % 2 == 0));
}

static void ask_ion(const struct watch *watch, size_t number, const struct relay_report *report)
{
	char program[PATH_MAX] = "";
	const pid_t pid = find_asker(report);
	const struct task task = { .pid = pid, .root = watch->root };

	if (pid > 0)
		program_of(&task, program);
	report_asked_name(watch->control, number, report->name, pid, pid > 0 ? reported_inside(watch->options, pid) : 0, program);
}

void follow_questions(struct course *course, const struct watch *watch)
{
	struct relay_process *relay = course->run->relay;
	bool open = false;

	if (relay->answers < 0)
		drop_questions(course);
	for (size_t i = 0; i < relay->question_count; i++) {
		struct question *question = &relay->questions[i];
		if (question->state == NOT_ASKED && hold(course)) {
			question->state = ASKED_ION;
			ask_ion(watch, i, &question->report);
		} else if (question->state == NOT_ASKED) {
			/* A tree that cannot be stopped could write over the question. */
			(void)answer_question(relay, i, false);
			signal_tree(SIGCONT);
		}
		open = open || question->state == ASKED_ION;
	}
	if (open)
		course->let_go_at = NEVER;
	if (!course->held || open)
		return;
	if (course->let_go_at == NEVER)
		course->let_go_at = now_ms() + ANSWER_MS;
	if (relay->has_answered || now_ms() >= course->let_go_at)
		let_go(course);
}
