#define _GNU_SOURCE
#include "answer/net/endpoint.h"

#include <errno.h>
#include <string.h>

#define IN6_LENGTH_MIN 24 /* without a scope (Linux: include/net/ipv6.h, SIN6_LEN_RFC2133) */

const struct endpoint loopback_v4 = { .host.s6_addr = { [10] = 0xff, 0xff, 127, 0, 0, 1 } };
const struct endpoint loopback_v6 = { .host.s6_addr = { [15] = 1 } };

int read_endpoint(int domain, const union address *address, socklen_t length, struct endpoint *endpoint)
{
	if (length < (domain == AF_INET ? sizeof(struct sockaddr_in) : IN6_LENGTH_MIN))
		return -EINVAL;
	if (address->any.sa_family != domain)
		return -EAFNOSUPPORT;
	if (domain == AF_INET6) {
		*endpoint = (struct endpoint){ address->in6.sin6_addr, address->in6.sin6_port };
		return 0;
	}
	*endpoint = loopback_v4;
	endpoint->host.s6_addr32[3] = address->in.sin_addr.s_addr;
	endpoint->port = address->in.sin_port;
	return 0;
}

socklen_t write_endpoint(int domain, const struct endpoint *endpoint, union address *address)
{
	memset(address, 0, sizeof(*address));
	if (domain == AF_INET) {
		address->in = (struct sockaddr_in){ .sin_family = AF_INET,
						    .sin_port = endpoint->port,
						    .sin_addr.s_addr = endpoint->host.s6_addr32[3] };
		return sizeof(address->in);
	}
	address->in6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = endpoint->port, .sin6_addr = endpoint->host };
	return sizeof(address->in6);
}

bool is_v4(const struct endpoint *endpoint)
{
	return IN6_IS_ADDR_V4MAPPED(&endpoint->host);
}

bool is_anywhere(const struct endpoint *endpoint)
{
	return is_v4(endpoint) ? endpoint->host.s6_addr32[3] == 0 : IN6_IS_ADDR_UNSPECIFIED(&endpoint->host);
}

bool is_on_loopback(const struct endpoint *endpoint)
{
	return is_v4(endpoint) ? endpoint->host.s6_addr[12] == 127 : IN6_IS_ADDR_LOOPBACK(&endpoint->host);
}
