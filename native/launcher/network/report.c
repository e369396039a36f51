#define _GNU_SOURCE
#include "network/report.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/hash.h"

#define WAIT_MS 300
#define REACHED_MAX 512

static struct {
	uint64_t hashes[REPORTS_MAX];
	size_t count;
	uint64_t reached[REACHED_MAX];
	size_t reached_count;
} said;

static void show_target(const struct refused *refused, char *target, size_t size)
{
	char address[HOST_PORT_TEXT];

	if (refused->target)
		snprintf(target, size, "%s", refused->target);
	else if (refused->name[0] == '\0' && refused->host)
		snprintf(target, size, "%s", show_host_port(refused->host, refused->port, address));
	else if (refused->port)
		snprintf(target, size, "%s:%u", refused->name, refused->port);
	else
		snprintf(target, size, "%s", refused->name);
}

static uint64_t hash_of(const char *rule, const char *target)
{
	return hash_text(hash_text(hash_key(), rule), target);
}

bool was_refused(const char *rule, const char *target)
{
	const uint64_t hash = hash_of(rule, target);

	for (size_t i = 0; i < said.count; i++)
		if (said.hashes[i] == hash)
			return true;
	return false;
}

/* Returns false if it was reported before, or if no more can be reported. */
static bool number_of(struct relay *relay, const char *rule, const char *target, size_t *number)
{
	const uint64_t hash = hash_of(rule, target);

	for (size_t i = 0; i < said.count; i++) {
		if (said.hashes[i] == hash) {
			atomic_fetch_add(&relay->shared->counts[i], 1);
			return false;
		}
	}
	if (said.count == REPORTS_MAX) {
		atomic_fetch_add(&relay->shared->unreported, 1);
		return false;
	}
	*number = said.count++;
	said.hashes[*number] = hash;
	atomic_store(&relay->shared->counts[*number], 1);
	return true;
}

void report_refused(struct relay *relay, const struct refused *refused, const struct asker *asker)
{
	struct relay_report report = { .port = refused->port,
				       .datagram = asker->datagram,
				       .from_port = asker->from_port,
				       .to = asker->to,
				       .to_port = asker->to_port };
	char byte;

	show_target(refused, report.target, sizeof(report.target));
	if (!number_of(relay, refused->rule, report.target, &report.number))
		return;
	snprintf(report.rule, sizeof(report.rule), "%s", refused->rule);
	snprintf(report.name, sizeof(report.name), "%s", refused->name);
	if (refused->host)
		show_host(refused->host, report.address);
	if (send(relay->reports, &report, sizeof(report), MSG_NOSIGNAL) < 0)
		return;
	struct pollfd wait = { .fd = relay->reports, .events = POLLIN };
	if (poll(&wait, 1, WAIT_MS) > 0)
		(void)!recv(relay->reports, &byte, 1, MSG_DONTWAIT);
}

bool report_question(struct relay *relay, size_t number, const char *name, const struct asker *asker)
{
	struct relay_report report = { .number = number,
				       .rule = "ask",
				       .datagram = asker->datagram,
				       .from_port = asker->from_port,
				       .to = asker->to,
				       .to_port = asker->to_port };

	snprintf(report.name, sizeof(report.name), "%s", name);
	return send(relay->reports, &report, sizeof(report), MSG_NOSIGNAL) == (ssize_t)sizeof(report);
}

static void report_state(struct relay *relay, const char *state)
{
	struct relay_report report = { .number = 0 };

	snprintf(report.rule, sizeof(report.rule), "%s", state);
	(void)!send(relay->reports, &report, sizeof(report), MSG_NOSIGNAL);
}

void report_answered(struct relay *relay)
{
	report_state(relay, "answered");
}

void report_looked(struct relay *relay)
{
	report_state(relay, "looked");
}

void report_reached(struct relay *relay, const char *name, uint16_t port)
{
	struct relay_report report = { .rule = "reached", .port = port };
	const uint64_t hash = (hash_text(hash_key(), name) ^ port) * 0x100000001b3ull;

	for (size_t i = 0; i < said.reached_count; i++)
		if (said.reached[i] == hash)
			return;
	if (said.reached_count == REACHED_MAX)
		return;
	said.reached[said.reached_count++] = hash;
	snprintf(report.name, sizeof(report.name), "%s", name);
	(void)!send(relay->reports, &report, sizeof(report), MSG_NOSIGNAL | MSG_DONTWAIT);
}
