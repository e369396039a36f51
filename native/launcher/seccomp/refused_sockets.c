/* Refusals of sockets: families, protocols, and calls that would bypass the supervisor's check of an address. */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/kernel_abi.h"
#include "seccomp/filter_rows.h"

/* getifaddrs(3) queries NETLINK_ROUTE (0). Without CAP_NET_ADMIN a process can only query it. */
static const struct row families[] = {
	WHEN(__NR_socket, EAFNOSUPPORT, ARG_IS_NOT(0, AF_UNIX), ARG_IS_NOT(0, AF_INET), ARG_IS_NOT(0, AF_INET6),
	     ARG_IS_NOT(0, AF_NETLINK)),
	WHEN(__NR_socket, EPROTONOSUPPORT, ARG_IS(0, AF_NETLINK), ARG_IS_NOT(2, 0)),
};
const struct rows refused_families = ROWS(families);

static const struct row internet[] = {
	WHEN(__NR_socket, EACCES, ARG_IS(0, AF_INET)),
	WHEN(__NR_socket, EACCES, ARG_IS(0, AF_INET6)),
};
const struct rows refused_internet = ROWS(internet);

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

static const struct row multipath[] = { WHEN(__NR_socket, EPROTONOSUPPORT, ARG_IS(2, IPPROTO_MPTCP), ARG_IS_NOT(0, AF_UNIX)) };
const struct rows refused_multipath = ROWS(multipath);

#define TYPE_BITS 0xfu /* SOCK_TYPE_MASK: the rest are flags */
#define ONLY_TCP(family)                                                                                        \
	WHEN(__NR_socket, EPROTONOSUPPORT, ARG_IS(0, (family)), ARG_MASKED_NOT(1, TYPE_BITS, SOCK_STREAM)),     \
		WHEN(__NR_socket, EPROTONOSUPPORT, ARG_IS(0, (family)), ARG_IS_NOT(2, 0), ARG_IS_NOT(2, IPPROTO_TCP))
#define NO_OPTION(level, name) WHEN(__NR_setsockopt, ENOPROTOOPT, ARG_IS(1, (level)), ARG_IS(2, (name)))

/* Where the supervisor makes every TCP connection: calls that would make one by themselves, or redirect one after the check. */
static const struct row beyond_loopback[] = {
	/* Datagrams take their address from memory. MPTCP and SCTP have their own ways to connect. */
	ONLY_TCP(AF_INET),
	ONLY_TCP(AF_INET6),
	/* These connect together with the first data, or later. */
	WHEN(__NR_sendto, EOPNOTSUPP, ARG_HAS(3, MSG_FASTOPEN)),
	WHEN(__NR_sendmsg, EOPNOTSUPP, ARG_HAS(2, MSG_FASTOPEN)),
	WHEN(__NR_sendmmsg, EOPNOTSUPP, ARG_HAS(3, MSG_FASTOPEN)),
	NO_OPTION(IPPROTO_TCP, TCP_FASTOPEN_CONNECT),
	/* This puts another protocol in the place of TCP (SMC). */
	NO_OPTION(IPPROTO_TCP, TCP_ULP),
	/* With this option a process outside could listen at the same endpoint. */
	NO_OPTION(SOL_SOCKET, SO_REUSEPORT),
	/* Source routes and interfaces: a packet to 127.0.0.1 then leaves by the network, to a host of the task's choice. */
	NO_OPTION(SOL_SOCKET, SO_BINDTODEVICE),
	NO_OPTION(SOL_SOCKET, SO_BINDTOIFINDEX),
	NO_OPTION(IPPROTO_IP, IP_OPTIONS),
	NO_OPTION(IPPROTO_IP, IP_UNICAST_IF),
	NO_OPTION(IPPROTO_IPV6, IPV6_2292PKTOPTIONS),
	NO_OPTION(IPPROTO_IPV6, IPV6_PKTINFO),
	NO_OPTION(IPPROTO_IPV6, IPV6_RTHDR),
	NO_OPTION(IPPROTO_IPV6, IPV6_UNICAST_IF),
};
const struct rows refused_beyond_loopback = ROWS(beyond_loopback);

/* Without a supervisor that checks addresses, a unix socket could be connected to any daemon. Pairs have no address. */
static const struct row unix_family[] = { WHEN(__NR_socket, EACCES, ARG_IS(0, AF_UNIX)) };
const struct rows refused_unix = ROWS(unix_family);
