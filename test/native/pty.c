/* Runs a program on a pseudo-terminal of its own. Bytes from standard input are typed there, and the program's output goes to
 * standard output. Each pair of 16-bit numbers (columns, rows) on descriptor 3 changes the size. The end of standard input hangs
 * up. Ends after all processes of the program, with the exit code of the program.
 *
 * usage: pty columns rows program argument... */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZES = 3 };

static void fail(const char *what)
{
	perror(what);
	exit(125);
}

static void set_size(int master, unsigned short columns, unsigned short rows)
{
	const struct winsize size = { .ws_row = rows, .ws_col = columns };

	ioctl(master, TIOCSWINSZ, &size);
}

static pid_t start(int master, char **argv)
{
	const pid_t child = fork();

	if (child != 0)
		return child;
	setsid();
	const int terminal = open(ptsname(master), O_RDWR);
	if (terminal < 0)
		fail("ptsname");
	for (int fd = 0; fd <= 2; fd++)
		dup2(terminal, fd);
	close(SIZES);
	close(terminal);
	close(master);
	execvp(argv[0], argv);
	fail(argv[0]);
	return -1;
}

static void write_all(const char *bytes, ssize_t length)
{
	for (ssize_t at = 0; at < length;) {
		const ssize_t written = write(STDOUT_FILENO, bytes + at, (size_t)(length - at));
		if (written < 0)
			exit(0); /* the test has ended */
		at += written;
	}
}

/* Typed text that the terminal has not accepted yet. A program that does not read must not delay its own output. */
static char typed[1 << 16];
static size_t typed_length;

static void pass_typed(int master)
{
	const ssize_t taken = write(master, typed, typed_length);

	if (taken <= 0)
		return;
	typed_length -= (size_t)taken;
	for (size_t i = 0; i < typed_length; i++)
		typed[i] = typed[i + (size_t)taken];
}

/* Returns false when standard input has ended. */
static int read_typed(void)
{
	const ssize_t length = read(STDIN_FILENO, typed + typed_length, sizeof(typed) - typed_length);

	if (length > 0)
		typed_length += (size_t)length;
	return length > 0;
}

static void relay(int master)
{
	struct pollfd ends[] = { { STDIN_FILENO, POLLIN, 0 }, { SIZES, POLLIN, 0 }, { master, POLLIN, 0 } };
	char bytes[1 << 16];
	uint16_t size[2];

	for (;;) {
		ends[0].events = typed_length < sizeof(typed) ? POLLIN : 0;
		ends[2].events = (short)(POLLIN | (typed_length > 0 ? POLLOUT : 0));
		if (poll(ends, 3, -1) < 0 && errno != EINTR)
			fail("poll");
		if (ends[2].revents & (POLLIN | POLLHUP)) {
			const ssize_t length = read(master, bytes, sizeof(bytes));
			if (length <= 0 && errno != EAGAIN)
				return; /* no process has the terminal open */
			if (length > 0)
				write_all(bytes, length);
		}
		if (ends[2].revents & POLLOUT)
			pass_typed(master);
		if (ends[1].revents & POLLIN && read(SIZES, size, sizeof(size)) == sizeof(size))
			set_size(master, size[0], size[1]);
		else if (ends[1].revents)
			ends[1].fd = -1;
		if (ends[0].revents & (POLLIN | POLLHUP) && !read_typed())
			return;
	}
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 125;
	const int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
		fail("posix_openpt");
	set_size(master, (unsigned short)atoi(argv[1]), (unsigned short)atoi(argv[2]));
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	const pid_t child = start(master, argv + 3);
	if (child < 0)
		fail("fork");
	relay(master);
	close(master);
	int status = 0, other;
	for (pid_t pid; (pid = wait(&other)) > 0;)
		if (pid == child)
			status = other;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
