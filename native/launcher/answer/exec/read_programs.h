/* Read mode's list of programs: only programs that the command names execute, with the environment that ion gave them. */
#ifndef ION_READ_PROGRAMS_H
#define ION_READ_PROGRAMS_H

#include "supervise/notify.h"

/* Before an execution: -EACCES for a program that is not listed, or the dynamic loader; else 0. `fd` is the file, or -errno, and
 * `resolved` its path. */
int answer_listed_program(const struct call *call, int fd, const char *resolved);

/* The recheck after an execution: no thread of the old program can change the new one. Kills a task that is not listed, or
 * that has another environment. */
void answer_listed_recheck(const struct call *call);

#endif
