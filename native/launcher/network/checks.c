/* Checks the first bytes of the run: the server name of TLS, the Host of HTTP. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "network/client_hello.h"
#include "network/flow.h"
#include "network/hosts.h"
#include "network/http_head.h"

#define TLS_HANDSHAKE 0x16
#define HTTPS_PORT 443

/* Asks to be woken when more bytes than these have come. */
static void wait_for_more(const struct flow *flow, ssize_t than)
{
	const int low = (int)than + 1;

	(void)setsockopt(flow->inner.fd, SOL_SOCKET, SO_RCVLOWAT, &low, sizeof(low));
}

static void let_pass(struct flow *flow, enum expects expects, uint64_t passes)
{
	flow->expects = expects;
	flow->passes = passes;
	flow->peeked = 0;
	wait_for_more(flow, 0);
}

static void refuse_flow(struct relay *relay, struct flow *flow, const char *rule, const char *sent)
{
	char target[2 * NAME_SIZE + 16];
	const char *name = latest_name(&relay->names, flow->address);
	const struct asker asker = asker_of_flow(flow);

	snprintf(target, sizeof(target), "%s%s%s:%u", sent, *sent ? " at " : "", name, flow->syn.to_port);
	const struct refused refused = { rule, *sent ? sent : name, &flow->syn.to, flow->syn.to_port, target };
	report_refused(relay, &refused, &asker);
	end_flow(relay, flow, true);
}

/* Only names that led to this very address count: another allowed name may have other addresses. */
static const struct network_rule *rule_of(const struct relay *relay, const struct flow *flow, const char *name)
{
	return led_to(&relay->names, flow->address, name) ? rule_for_name(&relay->rules, name, flow->syn.to_port) : NULL;
}

static void check_tls(struct relay *relay, struct flow *flow, const uint8_t *bytes, size_t size)
{
	struct client_hello hello;
	int state = read_client_hello(bytes, size, &hello);

	if (state == 0 && size < HELLO_MAX + 1024) {
		wait_for_more(flow, (ssize_t)size);
		return;
	}
	const struct network_rule *rule = state == 1 ? rule_of(relay, flow, hello.name) : NULL;
	if (rule && (!hello.encrypted || rule->ech)) {
		report_reached(relay, hello.name, flow->syn.to_port);
		let_pass(flow, EXPECTS_ANYTHING, PASSES_ALL);
	} else if (state == 1 && hello.encrypted) {
		refuse_flow(relay, flow, "network-ech", "");
	} else if (state == 1 && hello.name[0]) {
		refuse_flow(relay, flow, "network-server-name", hello.name);
	} else {
		refuse_flow(relay, flow, "network-no-name", "");
	}
}

static void check_request(struct relay *relay, struct flow *flow, const uint8_t *bytes, size_t size)
{
	struct http_head head;
	int state = read_http_head(bytes, size, &head);

	if (state == 0) {
		wait_for_more(flow, (ssize_t)size);
	} else if (state == 1 && rule_of(relay, flow, head.host)) {
		report_reached(relay, head.host, flow->syn.to_port);
		bool upgrade = head.upgrade && !head.chunked && head.body == 0;
		let_pass(flow, upgrade ? EXPECTS_UPGRADE : head.chunked ? EXPECTS_CHUNK : EXPECTS_REQUEST, head.length + head.body);
	} else {
		refuse_flow(relay, flow, state == 1 ? "network-host" : "network-no-name", state == 1 ? head.host : "");
	}
}

static void check_chunk(struct relay *relay, struct flow *flow, const uint8_t *bytes, size_t size)
{
	uint64_t length;
	int state = read_http_chunk(bytes, size, &length);

	if (state == 0)
		wait_for_more(flow, (ssize_t)size);
	else if (state < 0)
		refuse_flow(relay, flow, "network-no-name", "");
	else
		let_pass(flow, state == 2 ? EXPECTS_REQUEST : EXPECTS_CHUNK, length);
}

void look_inside(struct relay *relay, struct flow *flow)
{
	uint8_t bytes[HELLO_MAX + 2048];
	ssize_t size = recv(flow->inner.fd, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT);

	if (size < 0 && errno == EAGAIN)
		return;
	if (size == 0 && flow->expects == EXPECTS_REQUEST) { /* between two requests */
		let_pass(flow, EXPECTS_ANYTHING, PASSES_ALL);
		return;
	}
	/* No byte has come since: the run has ended its side. */
	if (size <= 0 || size == flow->peeked) {
		end_flow(relay, flow, size < 0);
		return;
	}
	flow->peeked = size;
	if (flow->expects == EXPECTS_CHUNK)
		check_chunk(relay, flow, bytes, (size_t)size);
	else if (flow->expects == EXPECTS_FIRST_BYTES && bytes[0] == TLS_HANDSHAKE)
		check_tls(relay, flow, bytes, (size_t)size);
	else if (flow->syn.to_port == HTTPS_PORT)
		refuse_flow(relay, flow, "network-no-tls", "");
	else
		check_request(relay, flow, bytes, (size_t)size);
}

void look_at_upgrade(struct flow *flow)
{
	static const char agreed[] = "HTTP/1.1 101";
	char start[sizeof(agreed) - 1];
	ssize_t size = recv(flow->outer.fd, start, sizeof(start), MSG_PEEK | MSG_DONTWAIT);

	if (size <= 0 || (size < (ssize_t)sizeof(start) && memcmp(start, agreed, (size_t)size) == 0))
		return;
	if (memcmp(start, agreed, sizeof(start)) == 0)
		let_pass(flow, EXPECTS_ANYTHING, PASSES_ALL);
	else
		let_pass(flow, EXPECTS_REQUEST, flow->passes);
}
