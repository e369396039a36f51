#define _GNU_SOURCE
#include "terminal.h"

#include <unistd.h>

void remember_terminal(struct terminal *terminal)
{
	pid_t group = tcgetpgrp(STDIN_FILENO);

	if (group != getpgrp() || tcgetattr(STDIN_FILENO, &terminal->modes) < 0)
		return;
	terminal->valid = true;
	terminal->group = group;
}

void restore_terminal(const struct terminal *terminal, bool modes_too)
{
	if (!terminal->valid)
		return;
	/* SIGTTOU is blocked: a background group may then do this. */
	if (tcgetpgrp(STDIN_FILENO) != terminal->group)
		tcsetpgrp(STDIN_FILENO, terminal->group);
	/* Output that the command has stopped (tcflow(3)) would stay so, with what ion and the shell have to say. */
	tcflow(STDIN_FILENO, TCOON);
	if (modes_too)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal->modes);
}
