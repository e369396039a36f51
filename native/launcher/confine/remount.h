/* What mount_setattr(2) does, on kernels before 5.12. */
#ifndef ION_REMOUNT_H
#define ION_REMOUNT_H

#include <stdbool.h>

/* As add_attributes (mount_steps.h), mount by mount as /proc/self/mountinfo lists them. A mount that no path leads to, as another
 * one hides it, is left out: the command finds no path to it either, and may not unmount. Returns 0 or -errno. */
int remount(int mount, unsigned long long attributes, bool below);

/* The options that a line of mountinfo shows of a mount ("rw,nosuid,relatime") as flags of mount(2), which a user namespace has to
 * repeat: it may not take them away. Times of access stay as they are where none is named. */
unsigned long flags_of_options(const char *options);

/* In place: the octal numbers that stand for blanks, tabs, line ends and backslashes in mountinfo. */
void unescape_mount_path(char *path);

#endif
