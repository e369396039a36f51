#define _GNU_SOURCE
#include "answer/files/given_names.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "answer/files/appended.h"
#include "report/violations.h"

static int refuse_stream(const struct call *call, const char *stream, unsigned wanted)
{
	bool reads = wanted == WANTS_READ;

	if (!stream || !still_waits(call))
		return CONTINUE;
	return refuse(call, reads ? "read" : "write", reads ? "stream-read" : "stream", stream, -EACCES);
}

int answer_pipe(const struct call *call, const char *link, unsigned wanted)
{
	struct stat info;
	const char *stream = *link && fstatat(call->task.root, link + 1, &info, 0) == 0 ? refused_pipe(&info, wanted) : NULL;

	return refuse_stream(call, stream, wanted);
}

int answer_gone(const struct call *call, const char *name, const __u64 *opens, unsigned wants)
{
	int stream = appended_and_gone(name);

	if (stream >= 0 && opens)
		return open_appended(call, stream, *opens);
	if (stream >= 0 && (wants & WANTS_WRITE)) /* truncate(2) */
		return still_waits(call) ? refuse(call, "write", "stream-appended", stream_name(stream), -EACCES) : CONTINUE;
	return refuse_stream(call, refused_gone(name, wants), wants);
}

int appended_by(int fd)
{
	struct stat info;

	return fd >= 0 && ways_given().appended && fstat(fd, &info) == 0 ? appended_stream(&info) : -1;
}
