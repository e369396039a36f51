/* What mount_setattr(2) does, on kernels before 5.12. */
#ifndef ION_REMOUNT_H
#define ION_REMOUNT_H

#include <stdbool.h>

/* Like add_attributes (mount_steps.h), mount by mount as /proc/self/mountinfo lists them. A mount hidden behind another one
 * has no path and is skipped: the command finds no path to it either, and may not unmount. Returns 0 or -errno. */
int remount(int mount, unsigned long long attributes, bool below);

/* The options of a mount in a line of mountinfo ("rw,nosuid,relatime") as flags of mount(2). A user namespace has to repeat
 * them, because it may not remove them. Access times stay unchanged where no option names them. */
unsigned long flags_of_options(const char *options);

/* Decodes in place the octal escapes of mountinfo for blanks, tabs, line ends and backslashes. */
void unescape_mount_path(char *path);

#endif
