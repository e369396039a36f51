/* The lock of the netlink sockets and of all work on sockets of the loopback. On a netlink socket an answer belongs to the
 * last question. On a loopback socket, what was checked must hold until the call is made (loopback.c). No thread that holds
 * the lock looks at a path. */
#ifndef ION_NET_LOCK_H
#define ION_NET_LOCK_H

void lock_net(void);
void unlock_net(void);

#endif
