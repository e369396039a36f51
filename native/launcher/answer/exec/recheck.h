/* The second look at an execution: what the kernel has made of it.
 *
 * argv in memory can be changed by another thread after the first look, and says nothing of what `#!` leads to. With deny
 * rules the supervisor is therefore asked again when the new image sets up its thread-local storage, which its loader or its
 * libc does before any code of the program: then the program is the file behind /proc/PID/exe, and its arguments are in
 * memory that no thread of the old image has.
 *
 * Not by ptrace(2), which stops a little earlier (PTRACE_EVENT_EXEC): its stop and its detach wake a second processor each,
 * and nobody could trace or debug inside. What is missed: a program that never asks for such storage (static, without a
 * libc), and what a debugger of the run's own changes in a program after this look. */
#ifndef ION_RECHECK_H
#define ION_RECHECK_H

#include "supervise/notify.h"

/* Kills the caller where a deny rule matches what it has become. Always CONTINUE. */
int judge_image(const struct call *call);

#endif
