/* Opens a connection of the run with the same result as outside.
 *
 * A listener on each allowed port has a filter that drops every packet: the kernel neither accepts nor refuses. A raw socket shows
 * the relay the first packet. The relay connects outside. When that connection is open, it binds the address that the run asked
 * for, and connects to the run's own port: a simultaneous open (RFC 9293, 3.5). The run's socket does not change. connect(2) takes
 * as long and ends in the same way as outside. */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "network/flow.h"
#include "network/fresh_sockets.h"
#include "network/hosts.h"

#define PACKETS_AT_ONCE 256
#define FREEBIND_V6 78 /* IPV6_FREEBIND: bind(2) knows no local routes of IPv6 */

static void set(int fd, int level, int option)
{
	const int one = 1;

	(void)setsockopt(fd, level, option, &one, sizeof(one));
}

/* A port that the table opens on the machine leads to the machine's loopback. Every other address is the one that the run asked
 * for. */
static int connect_outside(struct relay *relay, struct flow *flow)
{
	struct sockaddr_storage address;
	socklen_t length = write_address(&flow->syn.to, flow->syn.to_port, &address);
	int fd = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	set(fd, IPPROTO_TCP, TCP_NODELAY);
	flow->outer.fd = fd;
	if (connect(fd, (struct sockaddr *)&address, length) < 0 && errno != EINPROGRESS)
		return -errno;
	watch_source(relay, &flow->outer, EPOLLOUT);
	return 0;
}

int connect_inside(struct relay *relay, const struct syn *syn)
{
	struct sockaddr_storage own, theirs;
	const bool v4 = host_is_v4(&syn->to);
	socklen_t length = write_address(&syn->to, syn->to_port, &own);
	int fd = take_fresh_socket(relay, v4), error = 0;

	if (fd < 0)
		return fd;
	write_address(&syn->from, syn->from_port, &theirs);
	if (!v4)
		set(fd, IPPROTO_IPV6, FREEBIND_V6);
	set(fd, SOL_SOCKET, SO_REUSEADDR);
	set(fd, SOL_SOCKET, SO_REUSEPORT); /* beside the listener */
	set(fd, IPPROTO_TCP, TCP_NODELAY);
	if (bind(fd, (struct sockaddr *)&own, length) < 0 ||
	    (connect(fd, (struct sockaddr *)&theirs, length) < 0 && errno != EINPROGRESS))
		error = -errno;
	if (!error)
		return fd;
	close(fd);
	return error;
}

/* The rule that allows this target, by address or by name. */
static const struct network_rule *find_rule(struct relay *relay, const struct syn *syn, struct known_address **address)
{
	const struct network_rule *rule;

	*address = NULL;
	if (host_is_loopback(&syn->to))
		return rule_for_localhost(&relay->rules, syn->to_port);
	if ((rule = rule_for_address(&relay->rules, &syn->to, syn->to_port)))
		return rule;
	*address = find_address(&relay->names, &syn->to);
	return rule_for_known(&relay->rules, &relay->names, *address, syn->to_port);
}

static void report_port(struct relay *relay, const struct syn *syn, const struct known_address *address)
{
	const struct refused refused = { address ? "network-port" : "network-address", latest_name(&relay->names, address), &syn->to,
					 syn->to_port, NULL };
	const struct asker asker = { .from_port = syn->from_port, .to = syn->to, .to_port = syn->to_port };

	report_refused(relay, &refused, &asker);
}

static bool is_known_flow(const struct relay *relay, const struct syn *syn)
{
	for (const struct flow *flow = relay->flows; flow; flow = flow->next)
		if (!flow->inner_stands && flow->syn.from_port == syn->from_port && flow->syn.to_port == syn->to_port &&
		    same_host(&flow->syn.from, &syn->from) && same_host(&flow->syn.to, &syn->to))
			return true; /* sent again */
	return false;
}

static bool has_listener(const struct relay *relay, uint16_t port)
{
	for (size_t i = 0; i < relay->rules.port_count; i++)
		if (relay->rules.ports[i] == port)
			return true;
	return false;
}

static struct flow *begin_flow(struct relay *relay, const struct syn *syn, const struct network_rule *rule,
			       struct known_address *address)
{
	struct flow *flow = relay->flow_count < relay->flow_limit ? new_flow(relay, syn) : NULL;

	if (!flow)
		return NULL;
	flow->address = address;
	if (rule->plain || rule->kind == RULE_ADDRESS || rule->kind == RULE_LOCALHOST) {
		flow->expects = EXPECTS_ANYTHING;
		flow->passes = PASSES_ALL;
	}
	return flow;
}

static void take_syn(struct relay *relay, const struct syn *syn)
{
	struct known_address *address;
	const struct network_rule *rule = find_rule(relay, syn, &address);
	const bool listens = has_listener(relay, syn->to_port);

	if (!rule) {
		/* The servers of the run itself, and the name server. */
		if (!address && !listens)
			return;
		if (!host_is_loopback(&syn->to))
			report_port(relay, syn, address);
		if (listens)
			refuse_syn(relay, syn, ECONNREFUSED);
		return;
	}
	if (is_known_flow(relay, syn))
		return;
	struct flow *flow = begin_flow(relay, syn, rule, address);
	int error = flow ? connect_outside(relay, flow) : -ECONNREFUSED;
	if (!error)
		return;
	refuse_syn(relay, syn, -error);
	if (flow)
		end_flow(relay, flow, true);
}

void take_syns(struct relay *relay, const struct source *source)
{
	struct syn syn;
	bool whole;

	for (int i = 0; i < PACKETS_AT_ONCE && read_syn(source->fd, source->family, &syn, &whole); i++)
		if (whole)
			take_syn(relay, &syn);
}

/* Used where connections cannot be opened from this side. */
void accept_flows(struct relay *relay, const struct source *source)
{
	struct sockaddr_storage own, peer;
	socklen_t own_length = sizeof(own), peer_length = sizeof(peer);
	struct syn syn = { .from_port = 0 };
	struct known_address *address;
	int fd = accept4(source->fd, (struct sockaddr *)&peer, &peer_length, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0)
		return;
	getsockname(fd, (struct sockaddr *)&own, &own_length);
	read_address_of(&own, &syn.to, &syn.to_port);
	read_address_of(&peer, &syn.from, &syn.from_port);
	const struct network_rule *rule = find_rule(relay, &syn, &address);
	struct flow *flow = rule ? begin_flow(relay, &syn, rule, address) : NULL;
	if (!rule && !host_is_loopback(&syn.to))
		report_port(relay, &syn, address);
	if (!flow) {
		close(fd);
		return;
	}
	set(fd, IPPROTO_TCP, TCP_NODELAY);
	flow->inner.fd = fd;
	flow->inner_stands = true;
	if (connect_outside(relay, flow) < 0)
		end_flow(relay, flow, true);
	else
		set_interest(relay, flow);
}

static bool stands_soon(int fd)
{
	struct tcp_info info = { 0 };
	socklen_t length = sizeof(info);

	/* On the loopback every packet is handled before the call that sends it returns. */
	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 && info.tcpi_state == TCP_ESTABLISHED;
}

bool try_exact_opening(struct relay *relay, int family)
{
	const bool v4 = family == AF_INET;
	struct syn syn;
	bool whole, works = false;
	struct sockaddr_storage address;
	int client = take_fresh_socket(relay, v4);
	const uint8_t own_v4[] = { 192, 0, 2, 1 };

	if (client < 0)
		return false;
	const struct in6_addr own = v4 ? host_of_v4(own_v4) : in6addr_loopback;
	socklen_t length = write_address(&own, relay->rules.ports[0], &address);
	if (connect(client, (struct sockaddr *)&address, length) < 0 && errno == EINPROGRESS) {
		while (read_syn(relay->syns[v4 ? 0 : 1], family, &syn, &whole) && !(whole && syn.to_port == relay->rules.ports[0]))
			;
		int fd = connect_inside(relay, &syn);
		works = fd >= 0 && stands_soon(fd) && stands_soon(client);
		if (fd >= 0)
			close(fd);
	}
	close(client);
	return works;
}
