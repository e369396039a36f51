#define _GNU_SOURCE
#include "network/run_sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "network/routes.h"
#include "options/standby.h"

#define FREEBIND_V6 78 /* IPV6_FREEBIND */
#define DNS_PORT 53
#define SYN_BUFFER (4 << 20)
#define BACKLOG 4096

static int set(int fd, int level, int option)
{
	const int one = 1;

	return setsockopt(fd, level, option, &one, sizeof(one)) < 0 ? -errno : 0;
}

static int attach(int fd, struct sock_filter *code, unsigned short length)
{
	const struct sock_fprog program = { length, code };

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0 ? -errno : 0;
}

static int drop_all(int fd)
{
	struct sock_filter drop = BPF_STMT(BPF_RET | BPF_K, 0);

	return attach(fd, &drop, 1);
}

/* Only packets with SYN and without ACK. A raw socket of IPv4 gets the IP header too; one of IPv6 does not. */
static int keep_syns(int fd, int family)
{
	enum { FLAGS = 13, SYN = 0x02, SYN_AND_ACK = 0x12 };
	struct sock_filter v4[] = {
		BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),
		BPF_STMT(BPF_LD | BPF_B | BPF_IND, FLAGS),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, SYN_AND_ACK),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYN, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 65535),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_filter v6[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, FLAGS),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, SYN_AND_ACK),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYN, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 65535),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};

	return family == AF_INET ? attach(fd, v4, sizeof(v4) / sizeof(v4[0])) : attach(fd, v6, sizeof(v6) / sizeof(v6[0]));
}

/* Uses high numbers: low ones may belong to the command. */
static int open_socket(int family, int type, int protocol)
{
	int fd = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
	int kept = fd < 0 ? -errno : fcntl(fd, F_DUPFD_CLOEXEC, ABOVE_ALL_PLACES);

	if (fd >= 0)
		close(fd);
	return kept == -1 ? -errno : kept;
}

static int bind_anywhere(int fd, int family, uint16_t port)
{
	const struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(port) };
	const struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	const bool is_v4 = family == AF_INET;

	if (!is_v4)
		(void)set(fd, IPPROTO_IPV6, IPV6_V6ONLY);
	return bind(fd, is_v4 ? (const void *)&v4 : (const void *)&v6, is_v4 ? sizeof(v4) : sizeof(v6)) < 0 ? -errno : 0;
}

static int open_raw(int family, bool syns)
{
	const int protocol = syns ? IPPROTO_TCP : family == AF_INET ? (int)IPPROTO_ICMP : (int)IPPROTO_ICMPV6;
	const int bytes = SYN_BUFFER;
	int fd = open_socket(family, SOCK_RAW, protocol);

	if (fd < 0)
		return fd;
	if (family == AF_INET6) {
		(void)set(fd, IPPROTO_IPV6, FREEBIND_V6);
		(void)set(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO);
	}
	if (syns)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	int error = syns ? keep_syns(fd, family) : drop_all(fd);
	return error ? error : fd;
}

static int open_listener(int family, uint16_t port, bool drops)
{
	int fd = open_socket(family, SOCK_STREAM, 0), error;

	if (fd < 0)
		return fd;
	(void)set(fd, SOL_SOCKET, SO_REUSEADDR);
	if (drops)
		(void)set(fd, SOL_SOCKET, SO_REUSEPORT);
	error = bind_anywhere(fd, family, port);
	if (!error && drops)
		error = drop_all(fd);
	if (!error && listen(fd, drops ? 1 : BACKLOG) < 0)
		error = -errno;
	return error ? error : fd;
}

static int open_name_datagrams(int family)
{
	int fd = open_socket(family, SOCK_DGRAM, 0);

	if (fd < 0)
		return fd;
	(void)set(fd, SOL_SOCKET, SO_REUSEADDR);
	if (family == AF_INET)
		(void)set(fd, IPPROTO_IP, IP_PKTINFO);
	else
		(void)(set(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO), set(fd, IPPROTO_IPV6, FREEBIND_V6));
	int error = bind_anywhere(fd, family, DNS_PORT);
	return error ? error : fd;
}

static int open_kind(enum run_socket_kind kind, int family, uint16_t port)
{
	switch (kind) {
	case ROUTE_SOCKET: {
		int routes = open_routes();
		return routes < 0 ? routes : fcntl(routes, F_DUPFD_CLOEXEC, ABOVE_ALL_PLACES);
	}
	case RAW_SYN: return open_raw(family, true);
	case RAW_ICMP: return open_raw(family, false);
	case SYN_LISTENER: return open_listener(family, port, true);
	case NAME_DATAGRAMS: return open_name_datagrams(family);
	case NAME_LISTENER: return open_listener(family, DNS_PORT, false);
	case FRESH_LISTENER: return open_listener(family, 0, false);
	case FRESH_CLIENT: return open_socket(family, SOCK_STREAM, 0);
	}
	return -EINVAL;
}

static int add(struct run_sockets *sockets, enum run_socket_kind kind, int family, uint16_t port)
{
	int fd = sockets->count < RUN_SOCKETS_MAX ? open_kind(kind, family, port) : -EMFILE;

	if (fd < 0)
		return fd;
	sockets->list[sockets->count++] = (struct run_socket){ kind, family, fd, port };
	return 0;
}

static int add_family(struct run_sockets *sockets, int family, const struct network_rules *rules)
{
	static const enum run_socket_kind kinds[] = { RAW_SYN, RAW_ICMP, NAME_DATAGRAMS, NAME_LISTENER, FRESH_LISTENER, FRESH_CLIENT };
	int error = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !error; i++)
		error = add(sockets, kinds[i], family, 0);
	for (size_t i = 0; i < rules->port_count && !error; i++)
		error = add(sockets, SYN_LISTENER, family, rules->ports[i]);
	return error;
}

static int add_routes(int routes, const struct network_rules *rules, const char *const *name_servers)
{
	struct in6_addr host;
	int error = add_own_addresses(routes);

	for (; *name_servers && !error; name_servers++)
		if (read_host(*name_servers, &host) && !host_is_loopback(&host))
			(void)add_local_route(routes, &host, 128);
	for (size_t i = 0; i < rules->allow_count && !error; i++)
		if (rules->allow[i].kind == RULE_ADDRESS)
			error = add_local_route(routes, &rules->allow[i].host, rules->allow[i].bits);
	return error;
}

int make_run_sockets(const struct network_rules *rules, const char *const *name_servers, struct run_sockets *sockets,
		     const char **step)
{
	*step = "relay: sockets";
	int error = add(sockets, ROUTE_SOCKET, 0, 0);
	if (!error)
		error = add_family(sockets, AF_INET, rules);
	if (error)
		return error;
	int v6 = add_family(sockets, AF_INET6, rules);
	if (v6 && v6 != -EAFNOSUPPORT && v6 != -EADDRNOTAVAIL)
		return v6;
	*step = "relay: addresses";
	return add_routes(sockets->list[0].fd, rules, name_servers);
}
