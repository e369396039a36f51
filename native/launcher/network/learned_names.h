/* Names that the run looked up, and the addresses that they led to. */
#ifndef ION_NETWORK_LEARNED_NAMES_H
#define ION_NETWORK_LEARNED_NAMES_H

#include "network/rules.h"

#define NAMES_MAX 4096
#define ADDRESSES_MAX 8192
#define NAMES_OF_ADDRESS_MAX 16

struct known_address {
	struct in6_addr host;
	uint16_t names[NAMES_OF_ADDRESS_MAX]; /* the latest last */
	size_t count;
};

struct names {
	char text[NAMES_MAX][NAME_SIZE];
	size_t count;
	struct known_address addresses[ADDRESSES_MAX];
	size_t address_count;
};

bool knows_name(const struct names *names, const char *name);
struct known_address *find_address(struct names *names, const struct in6_addr *host);

/* Note that `name` has led to `host`. Returns the address, or NULL when there is no room; `*is_new` is set for an address that
 * was not known. */
struct known_address *learn(struct names *names, const char *name, const struct in6_addr *host, bool *is_new);

/* The name that led to the address last, or "". */
const char *latest_name(const struct names *names, const struct known_address *address);
bool led_to(const struct names *names, const struct known_address *address, const char *name);

/* The rule that allows a connection to this address on `port`, by one of its names. */
const struct network_rule *rule_for_known(const struct network_rules *rules, const struct names *names,
					  const struct known_address *address, uint16_t port);

#endif
