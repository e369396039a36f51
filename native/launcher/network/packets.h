/* Packets of the run's namespace: the first one of a connection, and the kernel's answers to it. */
#ifndef ION_NETWORK_PACKETS_H
#define ION_NETWORK_PACKETS_H

#include "network/relay.h"

#define PACKET_HEAD_MAX 48

struct syn {
	struct in6_addr from, to;
	uint16_t from_port, to_port;
	uint32_t sequence;
	uint8_t head[PACKET_HEAD_MAX]; /* as an error repeats it: the IP header and 8 bytes */
};

/* Reads a packet from a raw socket of `family`. Returns false when none waits. Sets `*whole` if it is a complete SYN. */
bool read_syn(int raw, int family, struct syn *syn, bool *whole);

/* Answer as the network outside would: an ICMP error for EHOSTUNREACH, ENETUNREACH and EACCES, and a reset for any other
 * error. */
void refuse_syn(const struct relay *relay, const struct syn *syn, int error);

#endif
