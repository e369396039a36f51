/* Addresses of hosts, those of IPv4 in their IPv6 form. */
#ifndef ION_NETWORK_HOSTS_H
#define ION_NETWORK_HOSTS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define HOST_TEXT INET6_ADDRSTRLEN

bool read_host(const char *text, struct in6_addr *host);
const char *show_host(const struct in6_addr *host, char text[HOST_TEXT]);
/* `203.0.113.1:80`, `[2001:db8::1]:80` */
#define HOST_PORT_TEXT (HOST_TEXT + 10)
const char *show_host_port(const struct in6_addr *host, uint16_t port, char text[HOST_PORT_TEXT]);

struct in6_addr host_of_v4(const void *four_bytes);
bool host_is_v4(const struct in6_addr *host);
bool host_is_loopback(const struct in6_addr *host);
bool same_host(const struct in6_addr *one, const struct in6_addr *other);
bool is_in_network(const struct in6_addr *host, const struct in6_addr *network, unsigned bits);

/* A public name has no other address than a public one. Any other answer is DNS rebinding, or a name of a local network. */
bool is_public(const struct in6_addr *host);
/* Whether the address belongs to a local network (RFC 1918, RFC 6598, RFC 4193), or to a range that some resolvers use for every
 * name (RFC 2544). Addresses of the machine itself or of its link are not: cloud metadata is at 169.254.169.254. */
bool is_of_local_network(const struct in6_addr *host);

/* Socket addresses. `domain` is set to AF_INET or AF_INET6. */
socklen_t write_address(const struct in6_addr *host, uint16_t port, struct sockaddr_storage *address);
void read_address_of(const struct sockaddr_storage *address, struct in6_addr *host, uint16_t *port);

#endif
