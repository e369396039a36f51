/* The memory that the launcher, the relay and the child share before the command starts, and the messages of the relay to the
 * launcher. */
#ifndef ION_NETWORK_RELAY_SHARED_H
#define ION_NETWORK_RELAY_SHARED_H

#include <stdatomic.h>

#include "network/hosts.h"
#include "network/rules.h"

#define RUN_SOCKETS_MAX (2 * PORTS_MAX + 24)
#define REPORTS_MAX 256

/* Sockets in the run's network namespace, made by the child before it gives up its privileges. */
enum run_socket_kind {
	ROUTE_SOCKET,   /* netlink */
	RAW_SYN,        /* sees the first packet of each connection */
	RAW_ICMP,       /* sends errors */
	SYN_LISTENER,   /* keeps the kernel from refusing a port */
	NAME_DATAGRAMS, NAME_LISTENER,
	FRESH_LISTENER, FRESH_CLIENT, /* fresh_sockets.h */
};
struct run_socket {
	enum run_socket_kind kind;
	int family, fd;
	uint16_t port;
};

/* Written by the child. The relay takes a copy and gives up the memory, before it reads a byte of the run. */
struct run_sockets {
	struct run_socket list[RUN_SOCKETS_MAX];
	size_t count;
};

/* How connections open. */
enum opening { NO_PORTS, AS_OUTSIDE, ACCEPTED_FIRST };

/* Written by the relay. */
struct relay_shared {
	_Atomic int opening;
	/* How often each refusal happened, by its number; and those beyond the last number. */
	_Atomic uint64_t counts[REPORTS_MAX];
	_Atomic uint64_t unreported;
};

/* A refusal, the first time that it happens. With the rule "reached": a name that the run has reached. With "ask": a name that
 * the user is asked about, with the number of the question; with "answered": the run has the answers to its look-ups; with "looked":
 * see SERVE_WAITING. */
struct relay_report {
	size_t number;
	char rule[24];
	char target[NAME_SIZE + HOST_PORT_TEXT + 8];
	char name[NAME_SIZE]; /* "" where there is none */
	char address[HOST_TEXT];
	uint16_t port;        /* 0: unknown, as of a name that was only asked for */
	/* The end by which the launcher finds the process that asked: the sender of a datagram from this port, or the task that
	 * connects to this endpoint. */
	bool datagram;
	uint16_t from_port, to_port;
	struct in6_addr to;
};

/* From the launcher to the relay: the answer to a question. With the number SERVE_WAITING: the command has ended, and the relay
 * serves what it has sent so far. */
#define SERVE_WAITING SIZE_MAX
struct relay_answer {
	size_t number;
	bool allowed;
};

#endif
