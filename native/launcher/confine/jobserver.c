#define _GNU_SOURCE
#include "confine/jobserver.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Returns the new number, or -errno. */
static int move_above(int fd, int above)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, above);

	if (moved < 0)
		return -errno;
	close(fd);
	return moved;
}

int place_jobserver(const struct options *options, int *setup)
{
	const int numbers[] = { (int)options->jobserver_reads, (int)options->jobserver_writes };
	int above = *setup, pipe[2];

	for (int i = 0; i < 2; i++)
		if (numbers[i] > above)
			above = numbers[i];
	/* All copies are made first, so that no copy overwrites a descriptor that is still needed. */
	for (int i = 0; i < 2; i++)
		if ((pipe[i] = move_above(i == 0 ? JOBSERVER_READS_FD : JOBSERVER_WRITES_FD, above + 1)) < 0)
			return pipe[i];
	if ((*setup = move_above(*setup, above + 1)) < 0)
		return *setup;
	for (int i = 0; i < 2; i++) {
		if (dup2(pipe[i], numbers[i]) < 0)
			return -errno;
		close(pipe[i]);
	}
	return 0;
}
