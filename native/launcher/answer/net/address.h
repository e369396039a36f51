/* Socket addresses from a task: any bytes of any length. */
#ifndef ION_ADDRESS_H
#define ION_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

/* All zero before it is filled, so that a path without an end gets one and missing bytes read as 0. */
union address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
	char bytes[sizeof(struct sockaddr_un) + 1];
};

/* The number of bytes to read of an address of `length` bytes: never more than fits. 0: the kernel refuses it too (EINVAL). */
socklen_t address_length(socklen_t length);

bool is_internet(const union address *address);

/* Whether it is an internet address of this machine. */
bool is_loopback(const union address *address);
/* "Any address"; of internet addresses. */
bool is_unspecified(const union address *address);

/* unix(7): in the file system; and in the abstract namespace. Neither: unnamed. */
bool is_pathname(const union address *address, socklen_t length);
bool is_abstract(const union address *address, socklen_t length);

#define ADDRESS_TEXT (sizeof(struct sockaddr_un) + 16)

/* The form of ss(8): `192.0.2.1:80`, `[::1]:80`, `/path`, `@abstract` with its NULs as `@`; `family 16` for others. Bytes are
 * passed on as they are. Returns `text`. */
const char *show_address(const union address *address, socklen_t length, char text[ADDRESS_TEXT]);

#endif
