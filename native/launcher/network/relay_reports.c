#define _GNU_SOURCE
#include "network/relay_reports.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "answer/net/senders.h"
#include "base/clock.h"
#include "report/report.h"
#include "report/violations.h"
#include "tree/tree.h"

/* A relay that gets no processor for so long stays without its last reports. */
#define LAST_LOOK_MS 1000

pid_t find_asker(const struct relay_report *report)
{
	if (report->datagram)
		return sender_from_port(report->from_port);
	const struct endpoint to = { report->to, htons(report->to_port) };
	return sender_to(&to);
}

/* `NAME|ADDRESS|PORT` as the detail, each perhaps empty. */
static void report_one(struct relay_process *process, const struct watch *watch, const struct relay_report *report)
{
	char detail[NAME_SIZE + HOST_TEXT + 16];
	const struct violation violation = { "connect", report->port ? "connect" : "sendto", report->rule, report->target, detail };

	snprintf(detail, sizeof(detail), "%s|%s|%u", report->name, report->address, report->port);
	size_t number = report_violation_of(watch, find_asker(report), &violation);
	if (report->number < REPORTS_MAX && number != SIZE_MAX)
		process->numbers[report->number] = number + 1;
}

static bool send_answer(const struct relay_process *process, size_t number, bool allowed)
{
	const struct relay_answer answer = { .number = number, .allowed = allowed };

	return send(process->answers, &answer, sizeof(answer), MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof(answer);
}

bool answer_question(struct relay_process *process, size_t number, bool allowed)
{
	if (process->answers < 0 || number >= process->question_count || process->questions[number].state == IS_OVER)
		return false;
	process->questions[number].state = IS_OVER;
	process->has_answered = false;
	return send_answer(process, number, allowed);
}

static void take_question(struct relay_process *process, const struct relay_report *report)
{
	static const char of_names[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.";

	if (report->number != process->question_count || report->number >= ASKED_MAX ||
	    strspn(report->name, of_names) != strlen(report->name)) {
		(void)send_answer(process, report->number, false);
		return;
	}
	process->questions[process->question_count++] = (struct question){ NOT_ASKED, *report };
}

/* The relay reads bytes that the run chose. A text in its reports may therefore lack its end. */
static void close_texts(struct relay_report *report)
{
	report->rule[sizeof(report->rule) - 1] = '\0';
	report->target[sizeof(report->target) - 1] = '\0';
	report->name[sizeof(report->name) - 1] = '\0';
	report->address[sizeof(report->address) - 1] = '\0';
	if (strspn(report->rule, "abcdefghijklmnopqrstuvwxyz-") != strlen(report->rule))
		report->rule[0] = '\0';
}

static void report_end(struct relay_process *process, const struct watch *watch)
{
	const struct violation violation = { "connect", "connect", "network-relay", "the network", "" };

	close(process->reports);
	close(process->answers);
	process->reports = process->answers = -1;
	(void)report_violation_of(watch, 0, &violation);
}

bool take_relay_reports(struct relay_process *process, const struct watch *watch)
{
	struct relay_report report;
	ssize_t size;

	if (process->reports < 0)
		return false;
	while ((size = recv(process->reports, &report, sizeof(report), MSG_DONTWAIT)) > 0) {
		if (size != (ssize_t)sizeof(report))
			continue;
		close_texts(&report);
		if (strcmp(report.rule, "reached") == 0) {
			report_reached_name(watch->control, report.name, report.port);
			continue;
		}
		if (strcmp(report.rule, "ask") == 0) {
			take_question(process, &report);
			continue;
		}
		if (strcmp(report.rule, "answered") == 0) {
			process->has_answered = true;
			continue;
		}
		if (strcmp(report.rule, "looked") == 0) {
			process->has_looked = true;
			continue;
		}
		report_one(process, watch, &report);
		(void)!send(process->reports, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	}
	if (size < 0)
		return true;
	report_end(process, watch);
	return false;
}

void take_last_reports(struct relay_process *process, const struct watch *watch)
{
	const uint64_t until = milliseconds(CLOCK_MONOTONIC) + LAST_LOOK_MS;
	struct pollfd wait = { .fd = process->reports, .events = POLLIN };

	if (process->reports < 0 || !send_answer(process, SERVE_WAITING, false))
		return;
	while (take_relay_reports(process, watch) && !process->has_looked) {
		const uint64_t now = milliseconds(CLOCK_MONOTONIC);
		if (now >= until || poll(&wait, 1, (int)(until - now)) <= 0)
			return;
	}
}

void relay_has_ended(struct relay_process *process)
{
	process->pid = 0;
	leave_out_of_tree(0);
}

const char *connections_of(const struct relay_process *process)
{
	static const char *const shown[] = { [NO_PORTS] = "", [AS_OUTSIDE] = "exact", [ACCEPTED_FIRST] = "accepted first" };
	const int opening = process->shared ? atomic_load(&process->shared->opening) : NO_PORTS;

	return opening == AS_OUTSIDE || opening == ACCEPTED_FIRST ? shown[opening] : "";
}

void count_relay_reports(const struct relay_process *process)
{
	if (!process->shared)
		return;
	for (size_t i = 0; i < REPORTS_MAX; i++) {
		uint64_t count = atomic_load(&process->shared->counts[i]);
		if (process->numbers[i] > 0 && count > 1)
			count_more_violations(process->numbers[i] - 1, count - 1);
	}
	uint64_t rest = atomic_load(&process->shared->unreported);
	if (rest > 0)
		count_more_violations(SIZE_MAX, rest);
}
