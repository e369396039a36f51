#include "network/hosts.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

bool read_host(const char *text, struct in6_addr *host)
{
	struct in_addr v4;

	if (inet_pton(AF_INET, text, &v4) == 1) {
		*host = host_of_v4(&v4);
		return true;
	}
	return inet_pton(AF_INET6, text, host) == 1;
}

const char *show_host(const struct in6_addr *host, char text[HOST_TEXT])
{
	if (host_is_v4(host))
		inet_ntop(AF_INET, &host->s6_addr[12], text, HOST_TEXT);
	else
		inet_ntop(AF_INET6, host, text, HOST_TEXT);
	return text;
}

const char *show_host_port(const struct in6_addr *host, uint16_t port, char text[HOST_PORT_TEXT])
{
	char shown[HOST_TEXT];

	snprintf(text, HOST_PORT_TEXT, host_is_v4(host) ? "%s:%u" : "[%s]:%u", show_host(host, shown), port);
	return text;
}

struct in6_addr host_of_v4(const void *four_bytes)
{
	struct in6_addr host = { .s6_addr = { [10] = 0xff, [11] = 0xff } };

	memcpy(&host.s6_addr[12], four_bytes, 4);
	return host;
}

bool host_is_v4(const struct in6_addr *host)
{
	return IN6_IS_ADDR_V4MAPPED(host);
}

bool host_is_loopback(const struct in6_addr *host)
{
	return host_is_v4(host) ? host->s6_addr[12] == 127 : IN6_IS_ADDR_LOOPBACK(host);
}

bool same_host(const struct in6_addr *one, const struct in6_addr *other)
{
	return memcmp(one, other, sizeof(*one)) == 0;
}

bool is_in_network(const struct in6_addr *host, const struct in6_addr *network, unsigned bits)
{
	const unsigned whole = bits / 8, rest = bits % 8;

	if (memcmp(host, network, whole) != 0)
		return false;
	return rest == 0 || ((host->s6_addr[whole] ^ network->s6_addr[whole]) & (0xff00u >> rest & 0xff)) == 0;
}

struct v4_network {
	uint8_t address[4];
	unsigned bits;
};

static bool is_in(const struct in6_addr *host, const struct v4_network *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct in6_addr network = host_of_v4(list[i].address);
		if (is_in_network(host, &network, 96 + list[i].bits))
			return true;
	}
	return false;
}
#define IS_IN(host, list) is_in((host), (list), sizeof(list) / sizeof((list)[0]))

static const struct v4_network local_networks[] = {
	{ { 10, 0, 0, 0 }, 8 },	     { { 100, 64, 0, 0 }, 10 }, { { 172, 16, 0, 0 }, 12 },
	{ { 192, 168, 0, 0 }, 16 }, { { 198, 18, 0, 0 }, 15 },
};

/* 192.0.2.0/24: the run's own address (routes.h). */
static const struct v4_network reserved[] = {
	{ { 0, 0, 0, 0 }, 8 },	   { { 127, 0, 0, 0 }, 8 },  { { 169, 254, 0, 0 }, 16 },
	{ { 192, 0, 0, 0 }, 24 }, { { 192, 0, 2, 0 }, 24 }, { { 224, 0, 0, 0 }, 3 },
};

/* 6to4 and Teredo carry an IPv4 address, of any network. */
static bool is_public_v6(const uint8_t *bytes)
{
	const bool global = (bytes[0] & 0xe0) == 0x20; /* 2000::/3 */
	const bool six_to_four = bytes[0] == 0x20 && bytes[1] == 0x02;
	const bool teredo = bytes[0] == 0x20 && bytes[1] == 0x01 && bytes[2] == 0 && bytes[3] == 0;

	return global && !six_to_four && !teredo;
}

bool is_public(const struct in6_addr *host)
{
	if (!host_is_v4(host))
		return is_public_v6(host->s6_addr);
	return !IS_IN(host, local_networks) && !IS_IN(host, reserved);
}

bool is_of_local_network(const struct in6_addr *host)
{
	return host_is_v4(host) ? IS_IN(host, local_networks) : (host->s6_addr[0] & 0xfe) == 0xfc;
}

socklen_t write_address(const struct in6_addr *host, uint16_t port, struct sockaddr_storage *address)
{
	memset(address, 0, sizeof(*address));
	if (host_is_v4(host)) {
		struct sockaddr_in *in = (struct sockaddr_in *)address;
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		memcpy(&in->sin_addr, &host->s6_addr[12], 4);
		return sizeof(*in);
	}
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)address;
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(port);
	in6->sin6_addr = *host;
	return sizeof(*in6);
}

void read_address_of(const struct sockaddr_storage *address, struct in6_addr *host, uint16_t *port)
{
	if (address->ss_family == AF_INET) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)address;
		*host = host_of_v4(&in->sin_addr);
		*port = ntohs(in->sin_port);
		return;
	}
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)address;
	*host = in6->sin6_addr;
	*port = ntohs(in6->sin6_port);
}
