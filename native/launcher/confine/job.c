#define _GNU_SOURCE
#include "confine/job.h"

#include <errno.h>
#include <unistd.h>

int become_job(void)
{
	const pid_t group = getpgrp();

	if (setpgid(0, 0) < 0)
		return -errno;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (tcgetpgrp(fd) == group)
			return tcsetpgrp(fd, getpgrp()) < 0 ? -errno : 0;
	return 0;
}

/* Where ion passes them. */
enum { SCRIPT_FD = 6, REPORT_FD = 7 };

int place_job_descriptors(void)
{
	if (lseek(SCRIPT_FD, 0, SEEK_SET) < 0)
		return -errno;
	return dup2(SCRIPT_FD, JOB_SCRIPT_FD) < 0 || dup2(REPORT_FD, JOB_REPORT_FD) < 0 ? -errno : 0;
}
