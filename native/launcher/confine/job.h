/* A command of ion's prompt is a job: it has a process group of its own in the terminal's foreground, so that Ctrl-C and Ctrl-Z
 * reach it and not ion. Its bash gets two descriptors more: a script that restores the state of the commands before it, and a
 * socket on which it reports its own state at the end. It is a socket because /proc/self/fd cannot reopen one: so no process of the
 * command can read the report. */
#ifndef ION_JOB_H
#define ION_JOB_H

#include "supervise/terminal.h"

/* The numbers under which the command gets them. ion passes them as 6 and 7. Scripts use low numbers themselves. */
#define JOB_SCRIPT_FD 198
#define JOB_REPORT_FD 199

/* In the process that executes the command, with SIGTTOU blocked: a new process group, in the foreground where ion has it. The
 * launcher has checked that, because in a PID namespace every group outside has the number 0. Without a terminal it only makes the
 * group. Returns 0 or -errno. */
int become_job(const struct terminal *terminal);

/* Called in the child, before close_descriptors. Returns 0 or -errno. */
int place_job_descriptors(void);

#endif
