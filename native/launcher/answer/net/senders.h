/* The processes of the run that used the network last. The relay knows the ends of a connection, but not its process. */
#ifndef ION_SENDERS_H
#define ION_SENDERS_H

#include <stdint.h>
#include <sys/types.h>

#include "answer/net/endpoint.h"

/* A task sends datagrams from `port` (host order), or connects to an endpoint. */
void remember_sender(pid_t pid, uint16_t port);
void remember_connection(pid_t pid, const struct endpoint *to);

/* The latest one; 0: unknown. Two programs that connect to one endpoint at the same time cannot be told apart. */
pid_t sender_from_port(uint16_t port);
pid_t sender_to(const struct endpoint *to);

#endif
