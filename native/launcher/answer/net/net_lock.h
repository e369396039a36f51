/* Of the netlink sockets, on which an answer belongs to the last question, and of all that is done to sockets of the loopback:
 * what was checked of a socket holds until the call on it is made (loopback.c). No thread that holds it looks at a path. */
#ifndef ION_NET_LOCK_H
#define ION_NET_LOCK_H

void lock_net(void);
void unlock_net(void);

#endif
