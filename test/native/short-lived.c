/* Keeps COUNT children alive, each for at most MICROSECONDS, and prints a line for each that ends by a signal.
 *
 * usage: short-lived COUNT MICROSECONDS */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const long most = argc == 3 ? atol(argv[1]) : 0, us = argc == 3 ? atol(argv[2]) : 0;
	long alive = 0;
	unsigned seed = (unsigned)getpid();
	int status;

	if (most <= 0 || us <= 0)
		return 125;
	for (;;) {
		const useconds_t lives = (useconds_t)(rand_r(&seed) % us);
		const pid_t pid = alive < most ? fork() : -1;
		if (pid == 0) {
			usleep(lives);
			_exit(0);
		}
		alive += pid > 0;
		while (waitpid(-1, &status, alive < most ? WNOHANG : 0) > 0) {
			alive--;
			if (WIFSIGNALED(status))
				dprintf(STDOUT_FILENO, "%d\n", WTERMSIG(status));
		}
		if (pid < 0)
			sched_yield(); /* no number is free */
	}
}
