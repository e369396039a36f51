#include "network/learned_names.h"

#include <string.h>

#include "network/hosts.h"

static int find_name(const struct names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->text[i], name) == 0)
			return (int)i;
	return -1;
}

bool knows_name(const struct names *names, const char *name)
{
	return find_name(names, name) >= 0;
}

struct known_address *find_address(struct names *names, const struct in6_addr *host)
{
	for (size_t i = 0; i < names->address_count; i++)
		if (same_host(&names->addresses[i].host, host))
			return &names->addresses[i];
	return NULL;
}

static int add_name(struct names *names, const char *name)
{
	int found = find_name(names, name);

	if (found >= 0)
		return found;
	if (names->count == NAMES_MAX)
		return -1;
	strcpy(names->text[names->count], name);
	return (int)names->count++;
}

static void add_to_address(struct known_address *address, uint16_t name)
{
	for (size_t i = 0; i < address->count; i++)
		if (address->names[i] == name)
			return;
	if (address->count == NAMES_OF_ADDRESS_MAX) {
		memmove(address->names, address->names + 1, sizeof(address->names) - sizeof(address->names[0]));
		address->count--;
	}
	address->names[address->count++] = name;
}

struct known_address *learn(struct names *names, const char *name, const struct in6_addr *host, bool *is_new)
{
	struct known_address *address = find_address(names, host);
	int index = add_name(names, name);

	*is_new = !address;
	if (index < 0)
		return NULL;
	if (!address) {
		if (names->address_count == ADDRESSES_MAX)
			return NULL;
		address = &names->addresses[names->address_count++];
		address->host = *host;
		address->count = 0;
	}
	add_to_address(address, (uint16_t)index);
	return address;
}

const char *latest_name(const struct names *names, const struct known_address *address)
{
	return address && address->count > 0 ? names->text[address->names[address->count - 1]] : "";
}

bool led_to(const struct names *names, const struct known_address *address, const char *name)
{
	for (size_t i = 0; address && i < address->count; i++)
		if (strcmp(names->text[address->names[i]], name) == 0)
			return true;
	return false;
}

const struct network_rule *rule_for_known(const struct network_rules *rules, const struct names *names,
					  const struct known_address *address, uint16_t port)
{
	const struct network_rule *found = NULL;

	/* Two names can have one address. Prefer a name whose connections the relay reads: the relay then checks the name
	 * inside. A plain one would let connections to the other name pass. */
	for (size_t i = 0; address && i < address->count; i++) {
		const struct network_rule *rule = rule_for_name(rules, names->text[address->names[i]], port);
		if (rule && (!found || (found->plain && !rule->plain)))
			found = rule;
	}
	return found;
}
