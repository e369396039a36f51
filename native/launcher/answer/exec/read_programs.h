/* Read mode's list of programs: what executes is what the command names, with the environment that ion gave it. */
#ifndef ION_READ_PROGRAMS_H
#define ION_READ_PROGRAMS_H

#include "supervise/notify.h"

/* Before an execution: -EACCES for a program that is not listed, or the dynamic loader; else 0. `fd` is the file, or -errno, and
 * `resolved` its path. */
int judge_listed_program(const struct call *call, int fd, const char *resolved);

/* Of the image that an execution has made, which no thread of the old one can change: kills a caller that is not listed, or
 * has another environment. */
void judge_listed_image(const struct call *call);

#endif
