/* The entries of a network table: which names and addresses may be reached, on which ports. */
#ifndef ION_NETWORK_RULES_H
#define ION_NETWORK_RULES_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest name with its NUL (RFC 1035, 2.3.4). */
#define NAME_SIZE 254
#define RULES_MAX 512
#define RULE_PORTS_MAX 32
#define PORTS_MAX 64
/* Names that a run may ask the user about. */
#define ASKED_MAX 3

enum rule_kind { RULE_NAME, RULE_BELOW, RULE_ANY_NAME, RULE_ADDRESS, RULE_LOCALHOST };

struct network_rule {
	enum rule_kind kind;
	char name[NAME_SIZE];  /* lower case; with RULE_BELOW without its "*." */
	struct in6_addr host;  /* of IPv4 in its IPv6 form */
	unsigned bits;         /* of `host` that count, of 128 */
	bool plain;            /* any protocol: the relay does not look inside */
	bool local;            /* the name may resolve to an address of a local network */
	bool ech;              /* an encrypted server name passes */
	bool asks;             /* each of its names needs an answer of the user */
	uint16_t ports[RULE_PORTS_MAX]; /* host order */
	size_t port_count;
};

struct network_rules {
	struct network_rule allow[RULES_MAX], deny[RULES_MAX];
	size_t allow_count, deny_count;
	uint16_t ports[PORTS_MAX]; /* of all that are allowed */
	size_t port_count;
	char approved[ASKED_MAX][NAME_SIZE]; /* names of rules that ask */
	size_t approved_count;
};

/* Read entries as ion writes them: `FLAGS PORT,PORT PATTERN`. FLAGS are letters of "tpeq" (plain, local, ech, asks) or "-". PATTERN is
 * `name`, `*.name`, `*`, `localhost`, or `@ADDRESS/BITS` (bits of its own family). Entries of `deny` are a pattern only. Both
 * lists are NULL-terminated. Returns 0 or -EINVAL with `*bad` set. */
int read_rules(const char *const *allow, const char *const *deny, struct network_rules *rules, const char **bad);

/* The rule that allows `name` (lower case, without a final dot) on `port`; port 0: on any port. NULL if there is none, or if an
 * entry of `deny` matches. A rule that asks allows only names that were approved. */
const struct network_rule *rule_for_name(const struct network_rules *rules, const char *name, uint16_t port);

/* Whether the user may be asked about `name`. An entry of `deny` is final. */
bool asks_for_name(const struct network_rules *rules, const char *name);
void approve_name(struct network_rules *rules, const char *name);

/* The rule that lists the address itself. */
const struct network_rule *rule_for_address(const struct network_rules *rules, const struct in6_addr *host, uint16_t port);

/* The rule for a port of the machine's loopback. */
const struct network_rule *rule_for_localhost(const struct network_rules *rules, uint16_t port);

#endif
