/* The terminal as it was before the run: a command that dies by a signal may leave it raw, and its process group in the
 * foreground. */
#ifndef ION_TERMINAL_H
#define ION_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

struct terminal {
	bool valid; /* standard input is one, and this process group is in its foreground */
	pid_t group;
	struct termios modes;
};

void remember_terminal(struct terminal *terminal);

/* When the tree is dead. The foreground goes back from whoever of the run had it, the modes only after a death by a signal: another end
 * has left them as it meant to. Where somebody outside has the foreground, all stays as it is. */
void restore_terminal(const struct terminal *terminal, bool modes_too);

#endif
