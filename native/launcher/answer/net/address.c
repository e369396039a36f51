#define _GNU_SOURCE
#include "answer/net/address.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define PATH_AT offsetof(struct sockaddr_un, sun_path)

socklen_t address_length(socklen_t length)
{
	if (length < sizeof(sa_family_t) || length > sizeof(struct sockaddr_storage))
		return 0;
	return length > sizeof(struct sockaddr_un) ? sizeof(struct sockaddr_un) : length;
}

bool is_internet(const union address *address)
{
	return address->any.sa_family == AF_INET || address->any.sa_family == AF_INET6;
}

bool is_loopback(const union address *address)
{
	if (address->any.sa_family == AF_INET)
		return (ntohl(address->in.sin_addr.s_addr) >> 24) == 127 || address->in.sin_addr.s_addr == 0;
	const struct in6_addr *host = &address->in6.sin6_addr;
	return IN6_IS_ADDR_LOOPBACK(host) || IN6_IS_ADDR_UNSPECIFIED(host) ||
	       (IN6_IS_ADDR_V4MAPPED(host) && host->s6_addr[12] == 127);
}

bool is_unspecified(const union address *address)
{
	if (address->any.sa_family == AF_INET)
		return address->in.sin_addr.s_addr == 0;
	return IN6_IS_ADDR_UNSPECIFIED(&address->in6.sin6_addr);
}

bool is_pathname(const union address *address, socklen_t length)
{
	return length > PATH_AT && address->un.sun_path[0] != '\0';
}

bool is_abstract(const union address *address, socklen_t length)
{
	return length > PATH_AT && address->un.sun_path[0] == '\0';
}

static void show_unix(const union address *address, socklen_t length, char text[ADDRESS_TEXT])
{
	size_t size = length > PATH_AT ? length - PATH_AT : 0;

	memcpy(text, address->un.sun_path, size);
	text[size] = '\0';
	if (!is_abstract(address, length))
		return;
	for (size_t i = 0; i < size; i++)
		if (text[i] == '\0')
			text[i] = '@';
}

const char *show_address(const union address *address, socklen_t length, char text[ADDRESS_TEXT])
{
	char host[INET6_ADDRSTRLEN] = "?";

	switch (address->any.sa_family) {
	case AF_INET:
		inet_ntop(AF_INET, &address->in.sin_addr, host, sizeof(host));
		snprintf(text, ADDRESS_TEXT, "%s:%u", host, ntohs(address->in.sin_port));
		break;
	case AF_INET6:
		inet_ntop(AF_INET6, &address->in6.sin6_addr, host, sizeof(host));
		snprintf(text, ADDRESS_TEXT, "[%s]:%u", host, ntohs(address->in6.sin6_port));
		break;
	case AF_UNIX: show_unix(address, length, text); break;
	default: snprintf(text, ADDRESS_TEXT, "family %u", address->any.sa_family);
	}
	return text;
}
