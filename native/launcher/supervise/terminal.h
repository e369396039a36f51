/* The terminal as it was before the run: a command killed by a signal may leave it raw, and its process group in the
 * foreground. */
#ifndef ION_TERMINAL_H
#define ION_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

struct terminal {
	bool valid;  /* there is a terminal, and this process group is in its foreground */
	bool stream; /* and one of the standard streams is it */
	int fd;
	mode_t mode;
	uid_t owner;
	pid_t group;
	struct termios modes;
};

void remember_terminal(struct terminal *terminal);

/* Called when the tree is dead. Takes the foreground back from the run. Restores the modes only after a death by a signal: after
 * another end the command meant to leave them. If a process outside has the foreground, these stay as they are. Output continues in
 * any case, and the terminal's mode and owner are restored. */
void restore_terminal(const struct terminal *terminal, bool modes_too);

/* A stopped job: its modes are kept until it continues. Both do nothing without a terminal. */
void take_terminal_back(const struct terminal *terminal, struct termios *modes);
void hand_terminal_over(const struct terminal *terminal, pid_t group, const struct termios *modes);

#endif
