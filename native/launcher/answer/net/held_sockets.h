/* Sockets that processes of the run hold. */
#ifndef ION_HELD_SOCKETS_H
#define ION_HELD_SOCKETS_H

#include <stdbool.h>
#include <stdint.h>

/* A socket as sock_diag(7) tells it. Numbers of inodes (as in `socket:[N]`) come round after 2^32 of them, some hours of making
 * sockets: one with the number of a socket outside can be had. Cookies do not. */
struct socket_id {
	unsigned long inode;
	uint32_t cookie[2]; /* the low half first */
};

/* Does a process of the tree hold this socket? No, where it takes too long to find out. */
bool tree_holds_socket(const struct socket_id *id);

/* A descriptor of it, taken from the process of the tree that holds it; -ENOENT when none does, -ETIMEDOUT where there are
 * too many descriptors to look at (some 100000), or another -errno. */
int take_from_tree(const struct socket_id *id);

#endif
