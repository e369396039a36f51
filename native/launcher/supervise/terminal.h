/* The terminal as it was before the run: a command that dies by a signal may leave it raw, and its process group in the
 * foreground. */
#ifndef ION_TERMINAL_H
#define ION_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

struct terminal {
	bool valid;  /* there is one, and this process group is in its foreground */
	bool stream; /* and one of the standard streams is it */
	int fd;
	mode_t mode;
	uid_t owner;
	pid_t group;
	struct termios modes;
};

void remember_terminal(struct terminal *terminal);

/* When the tree is dead. The foreground goes back from whoever of the run had it, the modes only after a death by a signal: another end
 * has left them as it meant to. Where somebody outside has the foreground, these stay as they are. Output goes on in any case, and who may open the
 * terminal by its name is nobody that could not before. */
void restore_terminal(const struct terminal *terminal, bool modes_too);

#endif
