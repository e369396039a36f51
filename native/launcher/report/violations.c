#define _GNU_SOURCE
#include "report/violations.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "report/askers.h"
#include "report/report.h"
#include "tree/first_process.h"
#include "tree/tree.h"

#define WORDS_MAX 8

/* Reported violations, by their hash. Two that collide count as one: a report loses a line, but no refusal is lost. */
static struct {
	pthread_mutex_t lock;
	uint64_t hashes[VIOLATIONS_MAX];
	uint64_t counts[VIOLATIONS_MAX];
	size_t length;
	uint64_t unreported;
} reported = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Adds the command line of a process, for messages. Words are shortened to their last path component: "/usr/bin/node
 * /usr/bin/npm ci" becomes "node npm ci". A process can change its own command line, but not that of its ancestors. */
static void add_words(pid_t pid, char *text, size_t size)
{
	char path[64], words[1024];
	size_t length = 0;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	int count = read_small_file(path, words, sizeof(words));
	for (int at = 0, n = 0; at < count && n < WORDS_MAX; n++) {
		const char *word = words + at;
		const char *slash = strrchr(word, '/'), *blank = strpbrk(word, " \t\n");
		at += (int)strlen(word) + 1;
		/* A first word with blanks is a title that the program has set: "npm install @scope/package" is not the program
		 * "package". */
		if (n == 0 && blank)
			slash = memrchr(word, '/', (size_t)(blank - word));
		/* Any other word with blanks is the text of a script, which may name programs that made no call. */
		else if (blank)
			slash = NULL, word = "...";
		int added = snprintf(text + length, size - length, "%s%s", n == 0 ? "" : " ", slash && slash[1] ? slash + 1 : word);
		if (added < 0 || (size_t)added >= size - length)
			break;
		length += (size_t)added;
	}
	text[size - 1] = '\0';
}

/* Finds the process that made the call and its ancestors. The command comes first. If an ancestor has ended, those above it are
 * unknown, and the chain does not begin with the command. */
static void find_chain(const struct call *call, struct chain *chain)
{
	pid_t at = process_of(call->task.pid);

	chain->length = 0;
	chain->whole = false;
	while (at > 1 && !is_root_of_tree(at) && chain->length < CHAIN_MAX) {
		add_words(at, chain->words[chain->length++], sizeof(chain->words[0]));
		if (at == call->watch->command) {
			chain->whole = true;
			return;
		}
		at = parent_of(at);
	}
}

#define KNOWN_KIND SIZE_MAX

/* Counts a refusal. Returns the number of a new kind, else KNOWN_KIND. */
static size_t count_violation(uint64_t hash)
{
	for (size_t i = 0; i < reported.length; i++) {
		if (reported.hashes[i] == hash) {
			reported.counts[i]++;
			return KNOWN_KIND;
		}
	}
	if (reported.length == VIOLATIONS_MAX) {
		reported.unreported++;
		return KNOWN_KIND;
	}
	reported.hashes[reported.length] = hash;
	reported.counts[reported.length] = 1;
	return reported.length++;
}

static uint64_t hash_of(const struct violation *violation)
{
	return hash_text(hash_text(hash_text(hash_key(), violation->kind), violation->rule), violation->target);
}

/* Returns the number of a new kind, else KNOWN_KIND. A task with pid 0 is not known. */
static size_t report_new(const struct call *call, const struct violation *violation)
{
	const pid_t pid = call->task.pid;
	struct chain chain = { .length = 0 };
	char program[PATH_MAX] = "";

	pthread_mutex_lock(&reported.lock);
	size_t number = count_violation(hash_of(violation));
	pthread_mutex_unlock(&reported.lock);
	if (number == KNOWN_KIND)
		return number;
	if (pid > 0) {
		program_of(&call->task, program);
		find_chain(call, &chain);
		remember_asker(number, process_of(pid));
	}
	const int inside = pid > 0 ? reported_inside(call->watch->options, pid) : 0;
	report_refusal(call->watch->control, number, pid, inside, program, &chain, violation);
	return number;
}

void report_violation(const struct call *call, const struct violation *violation)
{
	(void)report_new(call, violation);
}

size_t report_violation_of(const struct watch *watch, pid_t pid, const struct violation *violation)
{
	const struct call call = { .watch = watch, .task = { .pid = pid, .root = watch->root }, .name = violation->call };

	return report_new(&call, violation);
}

void count_more_violations(size_t number, uint64_t count)
{
	pthread_mutex_lock(&reported.lock);
	if (number < reported.length)
		reported.counts[number] += count;
	else
		reported.unreported += count;
	pthread_mutex_unlock(&reported.lock);
}

int refuse(const struct call *call, const char *kind, const char *rule, const char *target, int error)
{
	struct violation violation = { kind, call->name, rule, target, "" };

	report_violation(call, &violation);
	return error;
}

void report_violation_counts(int control)
{
	pthread_mutex_lock(&reported.lock);
	for (size_t i = 0; i < reported.length; i++)
		if (reported.counts[i] > 1 || asker_failed(i))
			report_refusal_end(control, i, reported.counts[i], asker_failed(i));
	uint64_t unreported = reported.unreported + report_dropped();
	pthread_mutex_unlock(&reported.lock);
	if (unreported > 0)
		report_unreported(control, unreported);
}
