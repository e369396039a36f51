/* Sockets that processes of the run hold. */
#ifndef ION_HELD_SOCKETS_H
#define ION_HELD_SOCKETS_H

#include <stdbool.h>
#include <stdint.h>

/* A socket as sock_diag(7) reports it. Inode numbers (`socket:[N]`) repeat after 2^32 sockets, some hours of work: a command
 * can get one with the number of a socket outside. Cookies do not repeat. */
struct socket_id {
	unsigned long inode;
	uint32_t cookie[2]; /* the low half first */
};

/* Whether a process of the tree holds this socket. False if the search takes too long. */
bool tree_holds_socket(const struct socket_id *id);

/* A descriptor of it, borrowed from the process of the tree that holds it. -ENOENT when none does, -ETIMEDOUT with too many
 * descriptors to search (some 100000), or another -errno. */
int borrow_from_tree(const struct socket_id *id);

#endif
