/* The relay's reports to the launcher. Each refusal is reported once, and then counted. */
#ifndef ION_NETWORK_REPORT_H
#define ION_NETWORK_REPORT_H

#include "network/relay.h"

struct refused {
	const char *rule;   /* "network-name" ...: see src/session/report/network-rules.ts */
	const char *name;   /* or "" */
	const struct in6_addr *host; /* or NULL */
	uint16_t port;
	const char *target; /* what the line shows; NULL: the name or the address, with the port */
};

/* The end by which the launcher finds the process that asked. */
struct asker {
	bool datagram;
	uint16_t from_port;
	struct in6_addr to;
	uint16_t to_port;
};

/* Waits for a limited time until the launcher has found the program that asked: after the answer the program may be gone. */
void report_refused(struct relay *relay, const struct refused *refused, const struct asker *asker);

/* Whether this target has been reported for this rule. */
bool was_refused(const char *rule, const char *target);

/* Asks the launcher for a question to the user about a name. Returns false if the question cannot be sent. */
bool report_question(struct relay *relay, size_t number, const char *name, const struct asker *asker);
/* The look-ups of answered names have their answers. */
void report_answered(struct relay *relay);
/* Everything that the run had sent was served. */
void report_looked(struct relay *relay);

/* A name was reached for the first time. */
void report_reached(struct relay *relay, const char *name, uint16_t port);

#endif
