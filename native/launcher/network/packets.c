#define _GNU_SOURCE
#include "network/packets.h"

#include <errno.h>
#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <string.h>
#include <sys/socket.h>

enum { TCP_HEADER = 20, IPV4_HEADER = 20, IPV6_HEADER = 40, ICMP_HEADER = 8, PART_OF_TCP = 8 };
enum { RST_AND_ACK = 0x14, PROTOCOL_TCP = 6 };

static void read_tcp(const uint8_t *tcp, struct syn *syn)
{
	syn->from_port = (uint16_t)(tcp[0] << 8 | tcp[1]);
	syn->to_port = (uint16_t)(tcp[2] << 8 | tcp[3]);
	memcpy(&syn->sequence, tcp + 4, sizeof(syn->sequence));
	syn->sequence = ntohl(syn->sequence);
}

/* The packet begins with the IP header. */
static bool read_v4(const uint8_t *packet, size_t size, struct syn *syn)
{
	size_t header = 4u * (packet[0] & 15u);

	if (size < IPV4_HEADER || header < IPV4_HEADER || size < header + TCP_HEADER)
		return false;
	syn->from = host_of_v4(packet + 12);
	syn->to = host_of_v4(packet + 16);
	memcpy(syn->head, packet, IPV4_HEADER);
	syn->head[0] = 0x45; /* without options */
	memcpy(syn->head + IPV4_HEADER, packet + header, PART_OF_TCP);
	read_tcp(packet + header, syn);
	return true;
}

/* The packet begins with the TCP header; the addresses are beside it. */
static bool read_v6(const uint8_t *packet, size_t size, struct msghdr *message, struct syn *syn)
{
	const struct sockaddr_in6 *from = message->msg_name;
	bool found = false;

	if (size < TCP_HEADER)
		return false;
	syn->from = from->sin6_addr;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		if (c->cmsg_level != IPPROTO_IPV6 || c->cmsg_type != IPV6_PKTINFO)
			continue;
		syn->to = ((const struct in6_pktinfo *)(const void *)CMSG_DATA(c))->ipi6_addr;
		found = true;
	}
	memset(syn->head, 0, IPV6_HEADER);
	syn->head[0] = 0x60;
	syn->head[5] = TCP_HEADER;
	syn->head[6] = PROTOCOL_TCP;
	syn->head[7] = 64;
	memcpy(syn->head + 8, &syn->from, 16);
	memcpy(syn->head + 24, &syn->to, 16);
	memcpy(syn->head + IPV6_HEADER, packet, PART_OF_TCP);
	read_tcp(packet, syn);
	return found;
}

bool read_syn(int raw, int family, struct syn *syn, bool *whole)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(struct in6_pktinfo))];
	} control;
	uint8_t packet[2048];
	struct sockaddr_storage from;
	struct iovec data = { packet, sizeof(packet) };
	struct msghdr message = { &from, sizeof(from), &data, 1, &control, sizeof(control), 0 };
	ssize_t size = recvmsg(raw, &message, MSG_DONTWAIT);

	if (size < 0)
		return false;
	*whole = family == AF_INET ? read_v4(packet, (size_t)size, syn) : read_v6(packet, (size_t)size, &message, syn);
	return true;
}

static uint32_t add_up(const uint8_t *bytes, size_t size, uint32_t sum)
{
	for (; size > 1; bytes += 2, size -= 2)
		sum += (uint32_t)bytes[0] << 8 | bytes[1];
	return size ? sum + ((uint32_t)bytes[0] << 8) : sum;
}

static void put_checksum(uint8_t *at, uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	sum = ~sum & 0xffff;
	at[0] = (uint8_t)(sum >> 8);
	at[1] = (uint8_t)sum;
}

/* The sender is the address that the run asked for. */
static void send_from(int raw, const struct in6_addr *from, const struct in6_addr *to, uint8_t *packet, size_t size)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(struct in6_pktinfo))];
	} control;
	const bool v4 = host_is_v4(to);
	struct sockaddr_storage address;
	struct iovec data = { packet, size };
	struct msghdr message = { &address, write_address(to, 0, &address), &data, 1, &control, 0, 0 };
	const struct in6_pktinfo info6 = { .ipi6_addr = *from };
	struct in_pktinfo info4 = { 0 };

	memset(&control, 0, sizeof(control));
	memcpy(&info4.ipi_spec_dst, &from->s6_addr[12], 4);
	control.header.cmsg_level = v4 ? IPPROTO_IP : IPPROTO_IPV6;
	control.header.cmsg_type = v4 ? IP_PKTINFO : IPV6_PKTINFO;
	control.header.cmsg_len = CMSG_LEN(v4 ? sizeof(info4) : sizeof(info6));
	memcpy(CMSG_DATA(&control.header), v4 ? (const void *)&info4 : (const void *)&info6, v4 ? sizeof(info4) : sizeof(info6));
	message.msg_controllen = CMSG_SPACE(v4 ? sizeof(info4) : sizeof(info6));
	(void)sendmsg(raw, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static uint8_t icmp_code(bool v4, int error)
{
	if (error == ENETUNREACH)
		return v4 ? ICMP_NET_UNREACH : ICMP6_DST_UNREACH_NOROUTE;
	if (error == EACCES)
		return v4 ? ICMP_PKT_FILTERED : ICMP6_DST_UNREACH_ADMIN;
	return v4 ? ICMP_HOST_UNREACH : ICMP6_DST_UNREACH_ADDR;
}

static void send_error(const struct relay *relay, const struct syn *syn, int error)
{
	const bool v4 = host_is_v4(&syn->to);
	const size_t head = (v4 ? IPV4_HEADER : IPV6_HEADER) + PART_OF_TCP;
	uint8_t packet[ICMP_HEADER + PACKET_HEAD_MAX] = { 0 };

	packet[0] = v4 ? ICMP_DEST_UNREACH : ICMP6_DST_UNREACH;
	packet[1] = icmp_code(v4, error);
	memcpy(packet + ICMP_HEADER, syn->head, head);
	/* The kernel itself computes the checksum of ICMPv6. */
	if (v4)
		put_checksum(packet + 2, add_up(packet, ICMP_HEADER + head, 0));
	send_from(relay->errors[v4 ? 0 : 1], &syn->to, &syn->from, packet, ICMP_HEADER + head);
}

/* The sum over the addresses, the protocol and the length (RFC 9293, 3.1). */
static uint32_t pseudo_header(const struct syn *syn)
{
	const size_t skip = host_is_v4(&syn->to) ? 12 : 0;
	uint32_t sum = add_up(syn->to.s6_addr + skip, 16 - skip, PROTOCOL_TCP + TCP_HEADER);

	return add_up(syn->from.s6_addr + skip, 16 - skip, sum);
}

static void send_reset(const struct relay *relay, const struct syn *syn)
{
	const uint32_t acknowledged = htonl(syn->sequence + 1);
	uint8_t tcp[TCP_HEADER] = { (uint8_t)(syn->to_port >> 8), (uint8_t)syn->to_port, (uint8_t)(syn->from_port >> 8),
				    (uint8_t)syn->from_port };

	memcpy(tcp + 8, &acknowledged, sizeof(acknowledged));
	tcp[12] = TCP_HEADER / 4 << 4;
	tcp[13] = RST_AND_ACK;
	put_checksum(tcp + 16, add_up(tcp, sizeof(tcp), pseudo_header(syn)));
	send_from(relay->syns[host_is_v4(&syn->to) ? 0 : 1], &syn->to, &syn->from, tcp, sizeof(tcp));
}

void refuse_syn(const struct relay *relay, const struct syn *syn, int error)
{
	if (error == EHOSTUNREACH || error == ENETUNREACH || error == EACCES)
		send_error(relay, syn, error);
	else
		send_reset(relay, syn);
}
