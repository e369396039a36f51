#define _GNU_SOURCE
#include "confine/job.h"

#include <errno.h>
#include <unistd.h>

int become_job(const struct terminal *terminal)
{
	if (setpgid(0, 0) < 0)
		return -errno;
	if (!terminal->valid || !terminal->stream)
		return 0;
	return tcsetpgrp(terminal->fd, getpgrp()) < 0 ? -errno : 0;
}

/* The numbers under which ion passes them. */
enum { SCRIPT_FD = 6, REPORT_FD = 7 };

int place_job_descriptors(void)
{
	if (lseek(SCRIPT_FD, 0, SEEK_SET) < 0)
		return -errno;
	return dup2(SCRIPT_FD, JOB_SCRIPT_FD) < 0 || dup2(REPORT_FD, JOB_REPORT_FD) < 0 ? -errno : 0;
}
