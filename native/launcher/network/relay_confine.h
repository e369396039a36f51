/* The rights that the relay gives up before it reads a byte of the run. */
#ifndef ION_NETWORK_RELAY_CONFINE_H
#define ION_NETWORK_RELAY_CONFINE_H

/* It gives up all capabilities, except those for routes and low ports in the run's namespace; all files (Landlock, where the kernel
 * has it); and every system call that it does not need. Returns 0 or -errno. */
int confine_relay(void);

#endif
