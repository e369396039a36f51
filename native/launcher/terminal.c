#define _GNU_SOURCE
#include "terminal.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

void remember_terminal(struct terminal *terminal)
{
	pid_t group = tcgetpgrp(STDIN_FILENO);

	if (group != getpgrp() || tcgetattr(STDIN_FILENO, &terminal->modes) < 0)
		return;
	terminal->valid = true;
	terminal->group = group;
}

/* Whoever of the run had the foreground is dead by now. A group that lives has been put there from outside: a shell, after Ctrl-Z
 * and bg, or the editor that it runs meanwhile, which would read nothing more and be ended. */
static bool is_nobodys(pid_t group)
{
	return group > 0 && kill(-group, 0) < 0 && errno == ESRCH;
}

void restore_terminal(const struct terminal *terminal, bool modes_too)
{
	pid_t foreground = terminal->valid ? tcgetpgrp(STDIN_FILENO) : -1;

	if (foreground < 0 || (foreground != terminal->group && !is_nobodys(foreground)))
		return;
	/* SIGTTOU is blocked: a background group may then do this. */
	if (foreground != terminal->group)
		tcsetpgrp(STDIN_FILENO, terminal->group);
	/* Output that the command has stopped (tcflow(3)) would stay so, with what ion and the shell have to say. */
	tcflow(STDIN_FILENO, TCOON);
	if (modes_too)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal->modes);
}
