#define _GNU_SOURCE
#include "answer/files/entry.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int open_entry(const char *path, struct entry *entry)
{
	struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%s", path);
	char *slash = strrchr(folder, '/');
	if (!slash || slash == folder)
		return -EXDEV;
	*slash = '\0';
	entry->name = path + (slash - folder) + 1;
	entry->folder = (int)syscall(__NR_openat2, AT_FDCWD, folder, &how, sizeof(how));
	return entry->folder < 0 ? -errno : 0;
}

void close_entry(const struct entry *entry)
{
	if (entry->folder >= 0)
		close(entry->folder);
}
