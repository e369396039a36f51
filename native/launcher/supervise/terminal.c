#define _GNU_SOURCE
#include "supervise/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

/* The terminal that controls the session, even if the streams lead elsewhere: the command can open it by name. */
static int open_terminal(void)
{
	return open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

void remember_terminal(struct terminal *terminal)
{
	pid_t group = getpgrp();
	int fd = STDIN_FILENO;

	while (fd <= STDERR_FILENO && tcgetpgrp(fd) != group)
		fd++;
	terminal->stream = fd <= STDERR_FILENO;
	if (!terminal->stream)
		fd = open_terminal();
	terminal->valid = fd >= 0 && tcgetpgrp(fd) == group && tcgetattr(fd, &terminal->modes) == 0;
	terminal->fd = fd;
	terminal->group = group;
	struct stat info;
	if (terminal->stream && fstat(fd, &info) == 0) {
		terminal->mode = info.st_mode;
		terminal->owner = info.st_uid;
	}
}

/* By its descriptor, on a mount outside, the command could let others read the user's typing. */
static void close_to_others(const struct terminal *terminal)
{
	struct stat info;

	if (!terminal->stream || fstat(terminal->fd, &info) < 0)
		return;
	if (info.st_mode & ~terminal->mode & 0777)
		(void)fchmod(terminal->fd, info.st_mode & terminal->mode & 0777);
	if (info.st_uid != terminal->owner)
		(void)fchown(terminal->fd, terminal->owner, (gid_t)-1);
}

/* Continues output that the command has stopped (tcflow(3)), perhaps from the background. Otherwise the messages of ion and the
 * shell would stay stopped too, and ion would wait for ever. This undoes no user's Ctrl-S. */
static void let_output_go_on(void)
{
	int terminal = open_terminal();

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		tcflow(fd, TCOON);
	if (terminal < 0)
		return;
	tcflow(terminal, TCOON);
	close(terminal);
}

/* The run's processes that had the foreground are dead by now. A living foreground group was put there from outside: a shell,
 * after Ctrl-Z and bg, or the editor that it runs meanwhile. Without the foreground such a program could read nothing more and
 * would end. */
static bool is_nobodys(pid_t group)
{
	return group > 0 && kill(-group, 0) < 0 && errno == ESRCH;
}

void restore_terminal(const struct terminal *terminal, bool modes_too)
{
	/* SIGTTOU is blocked: a background group may do all this. */
	let_output_go_on();
	close_to_others(terminal);
	pid_t foreground = terminal->valid ? tcgetpgrp(terminal->fd) : -1;
	if (foreground < 0 || (foreground != terminal->group && !is_nobodys(foreground)))
		return;
	if (foreground != terminal->group)
		tcsetpgrp(terminal->fd, terminal->group);
	if (modes_too)
		tcsetattr(terminal->fd, TCSADRAIN, &terminal->modes);
}

void take_terminal_back(const struct terminal *terminal, struct termios *modes)
{
	if (!terminal->valid)
		return;
	tcgetattr(terminal->fd, modes);
	tcsetpgrp(terminal->fd, terminal->group);
	tcsetattr(terminal->fd, TCSADRAIN, &terminal->modes);
}

void hand_terminal_over(const struct terminal *terminal, pid_t group, const struct termios *modes)
{
	if (!terminal->valid)
		return;
	tcsetattr(terminal->fd, TCSADRAIN, modes);
	tcsetpgrp(terminal->fd, group);
}
