#define _GNU_SOURCE
#include "network/dns.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "network/asking.h"
#include "network/hosts.h"
#include "network/query.h"
#include "network/query_stream.h"
#include "network/report.h"
#include "network/routes.h"

#define DNS_PORT 53
#define QUERIES_MAX 512
#define RETRY_MS 2500
#define TRIES_MAX 3
#define TTL_MAX 60 /* seconds: after that the run asks again, and ion learns what changed */
#define REPLY_HOSTS_MAX 8
/* The limit of names below a wildcard, against a tunnel through its name server: this many at first, then ten a second. */
#define NEW_NAMES 64
#define NEW_NAMES_MS 100.0

bool open_address(struct relay *relay, const char *name, const struct in6_addr *host)
{
	bool is_new;
	struct known_address *address = learn(&relay->names, name, host, &is_new);

	if (!address)
		return false;
	return !is_new || add_local_route(relay->routes, host, 128) == 0;
}

static bool may_ask_new_name(struct relay *relay)
{
	const uint64_t now = relay_now_ms();

	relay->new_names += (double)(now - relay->new_names_at) / NEW_NAMES_MS;
	if (relay->new_names > NEW_NAMES)
		relay->new_names = NEW_NAMES;
	relay->new_names_at = now;
	if (relay->new_names < 1)
		return false;
	relay->new_names -= 1;
	return true;
}

static socklen_t write_server(const struct relay *relay, unsigned attempt, struct sockaddr_storage *address)
{
	return write_address(&relay->servers[attempt % relay->server_count], DNS_PORT, address);
}

static void send_upstream(struct relay *relay, struct query *query)
{
	uint8_t message[DNS_MESSAGE_MAX];
	struct sockaddr_storage address;
	socklen_t length = write_server(relay, query->tries, &address);

	/* Uses a new socket, because a forged answer has to guess its port. */
	close_source(relay, &query->upstream);
	free(query->upstream_stream);
	query->upstream_stream = NULL;
	query->asked_at = relay_now_ms();
	query->tries++;
	int fd = socket(address.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	query->upstream = (struct source){ .kind = SOURCE_QUERY, .fd = fd, .owner = query };
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, length) < 0 || getrandom(&query->id, sizeof(query->id), 0) < 0)
		return; /* asked again later */
	size_t size = write_dns_query(message, query->id, query->question.name, query->question.type);
	(void)!send(fd, message, size, MSG_NOSIGNAL);
	watch_source(relay, &query->upstream, EPOLLIN);
}

static bool has_front(const char *name, const char *domain, char front[NAME_SIZE])
{
	const size_t length = strlen(name), end = strlen(domain);

	if (length <= end + 1 || name[length - end - 1] != '.' || strcmp(name + length - end, domain) != 0)
		return false;
	memcpy(front, name, length - end - 1);
	front[length - end - 1] = '\0';
	return true;
}

bool is_below_search_domain(const struct relay *relay, const char *name, char front[NAME_SIZE])
{
	for (const char *const *domain = relay->search; *domain; domain++)
		if (has_front(name, *domain, front))
			return true;
	return false;
}

/* Resolvers append the domains of their search list to a name. Such a name rarely exists, so its refusal is not reported after that
 * of the name itself. */
static bool is_searched(const struct relay *relay, const char *name)
{
	char front[NAME_SIZE];

	for (const char *const *domain = relay->search; *domain; domain++)
		if (has_front(name, *domain, front) &&
		    (rule_for_name(&relay->rules, front, 0) || was_refused("network-name", front)))
			return true;
	return false;
}

static void refuse_query(struct relay *relay, struct query *query, const char *rule, const char *name, int code)
{
	const struct refused refused = { .rule = rule, .name = name };
	const struct asker asker = asker_of(query);

	report_refused(relay, &refused, &asker);
	send_code(query, code);
	end_query(relay, query);
}

static void answer_code(struct relay *relay, struct query *query, int code)
{
	send_code(query, code);
	end_query(relay, query);
}

/* Of a name that no rule allows. */
static void ask_or_refuse(struct relay *relay, struct query *query)
{
	switch (ask_about(relay, query)) {
	case WAITS: return;
	case HAS_NO_ROOM: refuse_query(relay, query, "network-busy", query->question.name, DNS_SERVER_FAILURE); return;
	case DOES_NOT_ASK: refuse_query(relay, query, "network-name", query->question.name, DNS_NO_SUCH_NAME); return;
	}
}

/* Below a wildcard a run can make up names without end. Of "*" it gets as many as the relay can hold. */
static bool is_too_many(struct relay *relay, const struct query *query)
{
	return !knows_name(&relay->names, query->question.name) && query->rule->kind == RULE_BELOW && !may_ask_new_name(relay);
}

static bool is_full(const struct relay *relay, const char *name)
{
	return relay->query_count > QUERIES_MAX || (relay->names.count == NAMES_MAX && !knows_name(&relay->names, name));
}

void take_query(struct relay *relay, struct query *query)
{
	struct in6_addr host;

	if (!read_dns_question(query->message, query->size, &query->question)) {
		end_query(relay, query);
		return;
	}
	const char *name = query->question.name;
	query->rule = *name ? rule_for_name(&relay->rules, name, 0) : NULL;
	if (*name == '\0' || read_host(name, &host) || (!query->rule && is_searched(relay, name)))
		answer_code(relay, query, DNS_NO_SUCH_NAME);
	else if (!query->rule)
		ask_or_refuse(relay, query);
	/* Not HTTPS or SVCB: the keys in them would hide the server name. Not TXT: it carries data. */
	else if (query->question.type != DNS_TYPE_A && query->question.type != DNS_TYPE_AAAA)
		answer_code(relay, query, DNS_OK);
	else if (is_full(relay, name))
		refuse_query(relay, query, "network-busy", name, DNS_SERVER_FAILURE);
	else if (is_too_many(relay, query))
		refuse_query(relay, query, "network-many", query->rule->name, DNS_SERVER_FAILURE);
	else
		send_upstream(relay, query);
}

/* An address of a family that the machine has no route for would only cost the client time. */
static bool is_routed(const struct in6_addr *host)
{
	struct sockaddr_storage address;
	socklen_t length = write_address(host, DNS_PORT, &address);
	int fd = socket(address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool routed = fd >= 0 && connect(fd, (struct sockaddr *)&address, length) == 0;

	if (fd >= 0)
		close(fd);
	return routed;
}

static bool is_accepted(const struct query *query, const struct in6_addr *host)
{
	if (query->question.type == DNS_TYPE_AAAA && host_is_v4(host))
		return false; /* an IPv4 address in the place of an IPv6 one */
	return is_public(host) || (query->rule->local && is_of_local_network(host));
}

static void report_local_address(struct relay *relay, const struct query *query, const struct in6_addr *host)
{
	char address[HOST_TEXT], target[NAME_SIZE + HOST_TEXT + 8];
	const struct asker asker = asker_of(query);

	snprintf(target, sizeof(target), "%s at %s", query->question.name, show_host(host, address));
	const struct refused refused = { "network-local", query->question.name, host, 0, target };
	report_refused(relay, &refused, &asker);
}

static ssize_t receive_answer(struct relay *relay, struct query *query, uint8_t message[DNS_ANSWER_MAX])
{
	if (query->upstream_stream)
		return take_stream_answer(relay, query, message);
	ssize_t size = recv(query->upstream.fd, message, DNS_ANSWER_MAX, MSG_DONTWAIT);
	return size < 0 ? -errno : size;
}

/* A part of the addresses is enough: the run gets only some of many. */
static bool is_asked_by_stream(struct relay *relay, struct query *query, const struct dns_hosts *answer)
{
	struct sockaddr_storage address;

	if (!answer->truncated || answer->count > 0 || query->upstream_stream)
		return false;
	socklen_t length = write_server(relay, query->tries - 1, &address);
	return ask_by_stream(relay, query, &address, length);
}

void take_name_answer(struct relay *relay, struct query *query)
{
	uint8_t message[DNS_ANSWER_MAX];
	struct dns_hosts answer, given = { .code = DNS_OK };
	bool refused = false;
	ssize_t size = receive_answer(relay, query, message);

	if (size == -EAGAIN)
		return;
	if (size < 0) { /* no name server there */
		answer_code(relay, query, DNS_SERVER_FAILURE);
		return;
	}
	if (!read_dns_answer(message, (size_t)size, query->id, query->question.name, query->question.type, &answer))
		return;
	if (is_asked_by_stream(relay, query, &answer))
		return;
	for (size_t i = 0; i < answer.count && given.count < REPLY_HOSTS_MAX; i++) {
		const struct in6_addr *host = &answer.hosts[i];
		if (!is_accepted(query, host)) {
			refused = true;
			report_local_address(relay, query, host);
		} else if (is_routed(host) && open_address(relay, query->question.name, host)) {
			given.hosts[given.count++] = *host;
		}
	}
	given.ttl = answer.ttl < TTL_MAX ? answer.ttl : TTL_MAX;
	given.code = refused && given.count == 0 ? DNS_NO_SUCH_NAME : answer.code;
	send_reply(query, &given);
	end_query(relay, query);
}

void look_at_queries(struct relay *relay, uint64_t now)
{
	for (struct query *query = relay->queries, *next; query; query = next) {
		next = query->next;
		if (query->waits_for || now - query->asked_at < RETRY_MS)
			continue;
		if (query->tries < TRIES_MAX)
			send_upstream(relay, query);
		else
			answer_code(relay, query, DNS_SERVER_FAILURE);
	}
}
