#define _GNU_SOURCE
#include "network/asking.h"

#include <string.h>
#include <sys/socket.h>

#include "network/dns.h"
#include "network/report.h"

/* More look-ups of names without an answer are failures. */
#define WAITING_MAX 256

static struct asked_name *find_asked(struct relay *relay, const char *name)
{
	for (size_t i = 0; i < relay->asked_count; i++)
		if (strcmp(relay->asked[i].name, name) == 0)
			return &relay->asked[i];
	return NULL;
}

/* A name with one label is the machine's own business, and so is one below its search domains: resolvers make such names. */
static bool is_public_form(const struct relay *relay, const char *name)
{
	char front[NAME_SIZE];

	return strchr(name, '.') && !is_below_search_domain(relay, name, front);
}

static struct asked_name *begin_asking(struct relay *relay, const struct query *query)
{
	struct asked_name *asked = &relay->asked[relay->asked_count];
	const struct asker asker = asker_of(query);

	strcpy(asked->name, query->question.name);
	asked->answer = NOT_ANSWERED;
	if (!report_question(relay, relay->asked_count, asked->name, &asker))
		return NULL;
	relay->asked_count++;
	return asked;
}

static size_t count_waiting(const struct relay *relay)
{
	size_t count = 0;

	for (const struct query *query = relay->queries; query; query = query->next)
		count += query->waits_for != NULL;
	return count;
}

enum asking ask_about(struct relay *relay, struct query *query)
{
	const char *name = query->question.name;
	struct asked_name *asked = find_asked(relay, name);

	if (!asked && (relay->asked_count == ASKED_MAX || !asks_for_name(&relay->rules, name) || !is_public_form(relay, name)))
		return DOES_NOT_ASK;
	if (asked && asked->answer == NAME_REFUSED)
		return DOES_NOT_ASK;
	if (count_waiting(relay) >= WAITING_MAX)
		return HAS_NO_ROOM;
	if (!asked && !(asked = begin_asking(relay, query)))
		return DOES_NOT_ASK;
	query->waits_for = asked;
	return WAITS;
}

void count_released(struct relay *relay)
{
	if (--relay->released == 0)
		report_answered(relay);
}

static void release_queries(struct relay *relay, const struct asked_name *asked)
{
	relay->released++; /* until all of them are */
	for (struct query *query = relay->queries, *next; query; query = next) {
		next = query->next;
		if (query->waits_for != asked)
			continue;
		query->waits_for = NULL;
		query->released = true;
		relay->released++;
		take_query(relay, query);
	}
	count_released(relay);
}

void take_answers(struct relay *relay)
{
	struct relay_answer answer;
	ssize_t size = recv(relay->answers.fd, &answer, sizeof(answer), MSG_DONTWAIT);

	if (size == 0)
		close_source(relay, &relay->answers);
	if (size == (ssize_t)sizeof(answer) && answer.number == SERVE_WAITING)
		relay->looks_again = true;
	if (size != (ssize_t)sizeof(answer) || answer.number >= relay->asked_count)
		return;
	struct asked_name *asked = &relay->asked[answer.number];
	if (asked->answer != NOT_ANSWERED)
		return;
	asked->answer = answer.allowed ? NAME_ALLOWED : NAME_REFUSED;
	if (answer.allowed)
		approve_name(&relay->rules, asked->name);
	release_queries(relay, asked);
}
