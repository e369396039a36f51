/* The second look at an execution: what the kernel has made of it.
 *
 * argv in memory can be changed by another thread after the first look, and says nothing of what `#!` leads to. With deny
 * rules the caller is therefore seized (ptrace(2)), and stops once more when its new image stands: then /proc/PID/exe and
 * cmdline are the kernel's own, and nothing of the new program has run. */
#ifndef ION_EXEC_STOP_H
#define ION_EXEC_STOP_H

#include <stdbool.h>

#include "notify.h"

/* Seize the caller before its execution goes on. False when it cannot be: somebody else traces it, or Yama forbids it;
 * with deny rules that is a refusal. */
bool seize_caller(const struct call *call);

/* A child or tracee has stopped: `status` as from waitpid(2). Returns true when this was a tracing stop and has been
 * dealt with. */
bool take_trace_stop(const struct watch *watch, pid_t pid, int status);

#endif
