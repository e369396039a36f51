#include "network/rules.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "network/hosts.h"

static bool add_port(uint16_t *ports, size_t *count, size_t most, uint16_t port)
{
	for (size_t i = 0; i < *count; i++)
		if (ports[i] == port)
			return true;
	if (*count == most)
		return false;
	ports[(*count)++] = port;
	return true;
}

static bool read_ports(const char *text, size_t length, struct network_rule *rule)
{
	for (const char *at = text; at < text + length;) {
		char *end;
		unsigned long port = strtoul(at, &end, 10);
		if (end == at || port == 0 || port > 65535 || !add_port(rule->ports, &rule->port_count, RULE_PORTS_MAX, (uint16_t)port))
			return false;
		at = *end == ',' ? end + 1 : end;
		if (*end != ',' && end != text + length)
			return false;
	}
	return rule->port_count > 0;
}

static bool read_flags(const char *text, size_t length, struct network_rule *rule)
{
	for (size_t i = 0; i < length; i++) {
		switch (text[i]) {
		case 't': rule->plain = true; break;
		case 'p': rule->local = true; break;
		case 'e': rule->ech = true; break;
		case 'q': rule->asks = true; break;
		case '-': break;
		default: return false;
		}
	}
	return length > 0;
}

static bool read_network(const char *text, struct network_rule *rule)
{
	char address[INET6_ADDRSTRLEN], *end;
	const char *slash = strchr(text, '/');

	if (!slash || (size_t)(slash - text) >= sizeof(address))
		return false;
	memcpy(address, text, (size_t)(slash - text));
	address[slash - text] = '\0';
	unsigned long bits = strtoul(slash + 1, &end, 10);
	if (end == slash + 1 || *end || !read_host(address, &rule->host))
		return false;
	rule->bits = (unsigned)bits + (host_is_v4(&rule->host) ? 96u : 0u);
	return rule->bits <= 128;
}

static bool read_pattern(const char *text, struct network_rule *rule)
{
	if (*text == '@') {
		rule->kind = RULE_ADDRESS;
		return read_network(text + 1, rule);
	}
	if (strcmp(text, "*") == 0) {
		rule->kind = RULE_ANY_NAME;
		return true;
	}
	if (strcmp(text, "localhost") == 0) {
		rule->kind = RULE_LOCALHOST;
		return true;
	}
	rule->kind = strncmp(text, "*.", 2) == 0 ? RULE_BELOW : RULE_NAME;
	if (rule->kind == RULE_BELOW)
		text += 2;
	if (*text == '\0' || strlen(text) >= sizeof(rule->name))
		return false;
	strcpy(rule->name, text);
	return true;
}

static bool read_rule(const char *text, struct network_rule *rule)
{
	const char *ports = strchr(text, ' '), *pattern = ports ? strchr(ports + 1, ' ') : NULL;

	return pattern && read_flags(text, (size_t)(ports - text), rule) &&
	       read_ports(ports + 1, (size_t)(pattern - ports - 1), rule) && read_pattern(pattern + 1, rule);
}

int read_rules(const char *const *allow, const char *const *deny, struct network_rules *rules, const char **bad)
{
	for (; *allow; allow++) {
		struct network_rule *rule = &rules->allow[rules->allow_count];
		*bad = *allow;
		if (rules->allow_count == RULES_MAX || !read_rule(*allow, rule))
			return -EINVAL;
		rules->allow_count++;
		for (size_t i = 0; i < rule->port_count; i++)
			if (!add_port(rules->ports, &rules->port_count, PORTS_MAX, rule->ports[i]))
				return -EINVAL;
	}
	for (; *deny; deny++) {
		*bad = *deny;
		if (rules->deny_count == RULES_MAX || !read_pattern(*deny, &rules->deny[rules->deny_count]))
			return -EINVAL;
		rules->deny_count++;
	}
	return 0;
}

static bool matches_name(const struct network_rule *rule, const char *name)
{
	const size_t length = strlen(name), end = strlen(rule->name);

	switch (rule->kind) {
	case RULE_NAME: return strcmp(name, rule->name) == 0;
	case RULE_BELOW:
		return length > end + 1 && name[length - end - 1] == '.' && strcmp(name + length - end, rule->name) == 0;
	case RULE_ANY_NAME: return true;
	default: return false;
	}
}

static bool has_port(const struct network_rule *rule, uint16_t port)
{
	for (size_t i = 0; i < rule->port_count; i++)
		if (rule->ports[i] == port)
			return true;
	return port == 0;
}

static bool is_denied(const struct network_rules *rules, const char *name)
{
	for (size_t i = 0; i < rules->deny_count; i++)
		if (matches_name(&rules->deny[i], name))
			return true;
	return false;
}

static bool is_approved(const struct network_rules *rules, const char *name)
{
	for (size_t i = 0; i < rules->approved_count; i++)
		if (strcmp(rules->approved[i], name) == 0)
			return true;
	return false;
}

bool asks_for_name(const struct network_rules *rules, const char *name)
{
	for (size_t i = 0; i < rules->allow_count; i++)
		if (rules->allow[i].asks && matches_name(&rules->allow[i], name))
			return !is_denied(rules, name);
	return false;
}

void approve_name(struct network_rules *rules, const char *name)
{
	if (rules->approved_count < ASKED_MAX)
		strcpy(rules->approved[rules->approved_count++], name);
}

const struct network_rule *rule_for_name(const struct network_rules *rules, const char *name, uint16_t port)
{
	const struct network_rule *found = NULL;

	if (is_denied(rules, name))
		return NULL;
	/* An exact name counts before a pattern, because its flags are for this name alone. */
	for (size_t i = 0; i < rules->allow_count; i++) {
		const struct network_rule *rule = &rules->allow[i];
		if (rule->asks && !is_approved(rules, name))
			continue;
		if (matches_name(rule, name) && has_port(rule, port) && (!found || rule->kind < found->kind))
			found = rule;
	}
	return found;
}

const struct network_rule *rule_for_address(const struct network_rules *rules, const struct in6_addr *host, uint16_t port)
{
	for (size_t i = 0; i < rules->deny_count; i++)
		if (rules->deny[i].kind == RULE_ADDRESS && is_in_network(host, &rules->deny[i].host, rules->deny[i].bits))
			return NULL;
	for (size_t i = 0; i < rules->allow_count; i++) {
		const struct network_rule *rule = &rules->allow[i];
		if (rule->kind == RULE_ADDRESS && has_port(rule, port) && is_in_network(host, &rule->host, rule->bits))
			return rule;
	}
	return NULL;
}

const struct network_rule *rule_for_localhost(const struct network_rules *rules, uint16_t port)
{
	for (size_t i = 0; i < rules->allow_count; i++)
		if (rules->allow[i].kind == RULE_LOCALHOST && has_port(&rules->allow[i], port))
			return &rules->allow[i];
	return NULL;
}
