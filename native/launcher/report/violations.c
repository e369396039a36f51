#define _GNU_SOURCE
#include "report/violations.h"

#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "report/report.h"

/* Told violations by the hash of what they are. Two that collide are counted as one: a lost line of a report, never a
 * lost refusal. */
static struct {
	uint64_t hashes[VIOLATIONS_MAX];
	uint64_t counts[VIOLATIONS_MAX];
	size_t length;
	uint64_t untold;
} told;

void report_violation(const struct call *call, const struct violation *violation)
{
	char program[PATH_MAX];
	uint64_t hash = hash_text(hash_text(hash_text(hash_key(), violation->kind), violation->rule), violation->target);

	for (size_t i = 0; i < told.length; i++) {
		if (told.hashes[i] == hash) {
			told.counts[i]++;
			return;
		}
	}
	if (told.length == VIOLATIONS_MAX) {
		told.untold++;
		return;
	}
	told.hashes[told.length] = hash;
	told.counts[told.length++] = 1;
	program_of(&call->caller, program);
	report_refusal(call->watch->control, told.length - 1, call->caller.pid, program, violation);
}

int refuse(const struct call *call, const char *kind, const char *rule, const char *target, int error)
{
	struct violation violation = { kind, call->name, rule, target, "" };

	report_violation(call, &violation);
	return error;
}

void report_violation_counts(int control)
{
	for (size_t i = 0; i < told.length; i++)
		if (told.counts[i] > 1)
			report_refusal_count(control, i, told.counts[i]);
	if (told.untold + report_dropped() > 0)
		report_untold(control, told.untold + report_dropped());
}
