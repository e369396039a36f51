#define _GNU_SOURCE
#include "answer/net/relayed.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "answer/net/endpoint.h"
#include "answer/net/senders.h"
#include "network/hosts.h"
#include "report/violations.h"
#include "supervise/borrowed_socket.h"

#define DNS_PORT 53

static in_port_t port_of(const union address *address)
{
	return ntohs(address->any.sa_family == AF_INET ? address->in.sin_port : address->in6.sin6_port);
}

static uint16_t own_port(int socket)
{
	union address own;
	socklen_t length = sizeof(own.in6);

	memset(&own, 0, sizeof(own));
	return getsockname(socket, &own.any, &length) < 0 ? 0 : port_of(&own);
}

int connect_relayed(const struct call *call, int socket, int domain, const union address *address, socklen_t length)
{
	struct endpoint to;

	if (socket_option(socket, SO_TYPE) == SOCK_DGRAM) {
		int result = connect(socket, &address->any, length) < 0 ? -errno : 0;
		if (!result && port_of(address) == DNS_PORT)
			remember_sender(call->task.pid, own_port(socket));
		close(socket);
		return result;
	}
	if (read_endpoint(domain, address, length, &to) == 0)
		remember_connection(call->task.pid, &to);
	return CONTINUE;
}

/* The task's own port, which the kernel would choose at the first datagram. */
static uint16_t bound_port(int socket, int domain)
{
	const union address any = { .any.sa_family = (sa_family_t)domain };
	uint16_t port = own_port(socket);

	if (port == 0 && bind(socket, &any.any, domain == AF_INET ? sizeof(any.in) : sizeof(any.in6)) == 0)
		port = own_port(socket);
	return port;
}

static void describe(const union address *address, socklen_t length, char *target, char *detail, size_t size)
{
	char host[HOST_TEXT];
	struct endpoint to;

	show_address(address, length, target);
	if (read_endpoint(address->any.sa_family, address, length, &to) < 0)
		memset(&to, 0, sizeof(to));
	snprintf(detail, size, "|%s|%u", show_host(&to.host, host), ntohs(to.port));
}

/* `NAME|ADDRESS|PORT`, the form of the relay's refusals. */
static void report_as(const struct watch *watch, pid_t pid, const char *rule, const union address *address, socklen_t length)
{
	char target[ADDRESS_TEXT], detail[HOST_TEXT + 16];

	describe(address, length, target, detail, sizeof(detail));
	const struct violation violation = { "connect", strcmp(rule, "network-datagram") == 0 ? "sendto" : "connect", rule, target, detail };
	(void)report_violation_of(watch, pid, &violation);
}

int send_relayed(const struct call *call, const union address *address, socklen_t length)
{
	int socket = take_descriptor(call);
	struct endpoint to;

	if (socket < 0)
		return CONTINUE;
	const int domain = socket_option(socket, SO_DOMAIN);
	const bool datagram = socket_option(socket, SO_TYPE) == SOCK_DGRAM;
	int result = CONTINUE;
	if (!datagram && read_endpoint(domain, address, length, &to) == 0) { /* with the first data (MSG_FASTOPEN) */
		remember_connection(call->task.pid, &to);
	} else if (datagram && port_of(address) == DNS_PORT) {
		remember_sender(call->task.pid, bound_port(socket, domain));
	} else if (datagram && !is_loopback(address)) {
		report_as(call->watch, call->task.pid, "network-datagram", address, length);
		result = -ENETUNREACH;
	}
	close(socket);
	return result;
}

void report_unreachable(const struct watch *watch, pid_t pid, const union address *address, socklen_t length)
{
	report_as(watch, pid, "network-address", address, length);
}
