/* resolve() on any path, seen from this very process: no crash, and what it answers is canonical. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../native/launcher/resolve.h"

static void check_canonical(const char *resolved)
{
	assert(resolved[0] == '/');
	assert(!strstr(resolved, "/../") && !strstr(resolved, "/./") && !strstr(resolved, "//"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int root = -1;
	char path[PATH_MAX + 16], resolved[PATH_MAX];

	if (root < 0)
		root = open("/", O_PATH | O_DIRECTORY);
	if (size < 2 || size >= sizeof(path))
		return 0;
	memcpy(path, data + 1, size - 1);
	path[size - 1] = '\0';
	struct caller caller = { getpid(), root };
	int dirfd = data[0] & 2 ? AT_FDCWD : data[0] >> 2;
	int fd = resolve(&caller, dirfd, path, data[0] & 1 ? FOLLOW : NO_FOLLOW, resolved);
	if (fd >= 0)
		close(fd);
	/* Pipes and sockets have names that are no paths; a deleted file's ends in " (deleted)". */
	if (resolved[0] == '/')
		check_canonical(resolved);
	return 0;
}
