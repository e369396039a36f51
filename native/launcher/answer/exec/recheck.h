/* The second check of an execution, on the program that the kernel has loaded.
 *
 * Another thread can change argv in memory after the first check, and argv does not show where `#!` leads. With deny rules the
 * supervisor is therefore notified again when the new program sets up its thread-local storage. Its loader or its libc does that
 * before any code of the program runs. At that point /proc/PID/exe is the loaded program, and no thread of the old program can
 * reach the memory with its arguments.
 *
 * ptrace(2) stops a little earlier (PTRACE_EVENT_EXEC), but its stop and its detach wake a second processor each, and no process
 * inside could trace or debug. Not caught: a program that never asks for such storage (static, without a libc), and changes that a
 * debugger of the run makes after this check. */
#ifndef ION_RECHECK_H
#define ION_RECHECK_H

#include "supervise/notify.h"

/* Kills the task if a deny rule matches the program that it has become. Always CONTINUE. */
int answer_recheck(const struct call *call);

#endif
