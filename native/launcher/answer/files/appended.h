/* Streams that were given for appending. They are reopened for appending too, and no call truncates them or removes O_APPEND. */
#ifndef ION_APPENDED_H
#define ION_APPENDED_H

#include "supervise/notify.h"

/* Opens the stream for a task that called open(2) for writing with `flags`. Returns ANSWERED or -errno. */
int open_appended(const struct call *call, int stream, uint64_t flags);

#endif
