#define _GNU_SOURCE
#include "network/routes.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "network/hosts.h"

#define LOOPBACK_INTERFACE 1 /* in every network namespace (Linux: include/net/flow.h, LOOPBACK_IFINDEX) */
#define OWN_ADDRESS 0xc0000201u /* 192.0.2.1, of a network for documentation (RFC 5737) */

struct request {
	struct nlmsghdr header;
	char body[192];
};

static void add_attribute(struct request *request, unsigned short type, const void *data, unsigned short size)
{
	struct rtattr *attribute = (struct rtattr *)((char *)request + NLMSG_ALIGN(request->header.nlmsg_len));

	attribute->rta_type = type;
	attribute->rta_len = (unsigned short)RTA_LENGTH(size);
	memcpy(RTA_DATA(attribute), data, size);
	request->header.nlmsg_len = NLMSG_ALIGN(request->header.nlmsg_len) + (unsigned)RTA_SPACE(size);
}

static void begin(struct request *request, unsigned short type, const void *body, size_t size)
{
	*request = (struct request){ .header = { .nlmsg_len = (unsigned)NLMSG_LENGTH(size),
						 .nlmsg_type = type,
						 .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE } };
	memcpy(request->body, body, size);
}

static int carry_out(int routes, const struct request *request)
{
	struct {
		struct nlmsghdr header;
		struct nlmsgerr error;
		char rest[256];
	} answer;

	if (send(routes, request, request->header.nlmsg_len, 0) < 0)
		return -errno;
	if (recv(routes, &answer, sizeof(answer), 0) < (ssize_t)NLMSG_LENGTH(sizeof(answer.error)))
		return -EIO;
	int error = answer.header.nlmsg_type == NLMSG_ERROR ? answer.error.error : -EIO;
	return error == -EEXIST ? 0 : error;
}

int open_routes(void)
{
	int routes = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	return routes < 0 ? -errno : routes;
}

static int add_address(int routes, unsigned char family, const void *address, unsigned short size)
{
	const struct ifaddrmsg body = { .ifa_family = family,
					.ifa_prefixlen = (unsigned char)(8 * size),
					.ifa_flags = IFA_F_NODAD,
					.ifa_index = LOOPBACK_INTERFACE };
	struct request request;

	begin(&request, RTM_NEWADDR, &body, sizeof(body));
	add_attribute(&request, IFA_LOCAL, address, size);
	add_attribute(&request, IFA_ADDRESS, address, size);
	return carry_out(routes, &request);
}

int add_own_addresses(int routes)
{
	const struct in_addr v4 = { htonl(OWN_ADDRESS) };
	const struct in6_addr v6 = { .s6_addr = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 } };

	(void)add_address(routes, AF_INET6, &v6, sizeof(v6)); /* IPv6 may be off */
	return add_address(routes, AF_INET, &v4, sizeof(v4));
}

int add_local_route(int routes, const struct in6_addr *host, unsigned bits)
{
	const bool v4 = host_is_v4(host);
	const struct in_addr source = { htonl(OWN_ADDRESS) };
	const int interface = LOOPBACK_INTERFACE;
	const struct rtmsg body = { .rtm_family = v4 ? AF_INET : AF_INET6,
				    .rtm_dst_len = (unsigned char)(v4 ? bits - 96 : bits),
				    .rtm_table = RT_TABLE_LOCAL,
				    .rtm_protocol = RTPROT_STATIC,
				    .rtm_scope = v4 ? RT_SCOPE_HOST : RT_SCOPE_UNIVERSE,
				    .rtm_type = RTN_LOCAL };
	struct request request;

	begin(&request, RTM_NEWROUTE, &body, sizeof(body));
	add_attribute(&request, RTA_DST, v4 ? &host->s6_addr[12] : host->s6_addr, v4 ? 4 : 16);
	add_attribute(&request, RTA_OIF, &interface, sizeof(interface));
	if (v4)
		add_attribute(&request, RTA_PREFSRC, &source, sizeof(source));
	return carry_out(routes, &request);
}
