#define _GNU_SOURCE
#include "leftovers.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 256 /* a descriptor and a stack frame each */

static void empty_folder(int folder, int depth);

/* Never through a symlink: whatever a name has become, it is that name that is removed. */
static void remove_entry(int parent, const char *name, int depth)
{
	if (unlinkat(parent, name, 0) == 0 || depth == DEPTH_MAX)
		return;
	int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0) {
		/* A command may leave folders that not even their owner can look into. Not a symlink: that is gone by now. */
		(void)fchmodat(parent, name, 0700, 0);
		folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
	if (folder >= 0)
		empty_folder(folder, depth + 1);
	(void)unlinkat(parent, name, AT_REMOVEDIR);
}

/* Takes the descriptor. */
static void empty_folder(int folder, int depth)
{
	(void)fchmod(folder, 0700);
	DIR *entries = fdopendir(folder);
	if (!entries) {
		close(folder);
		return;
	}
	for (struct dirent *entry; (entry = readdir(entries));)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			remove_entry(folder, entry->d_name, depth);
	closedir(entries);
}

void remove_folders(const char **folders)
{
	for (; *folders; folders++)
		remove_entry(AT_FDCWD, *folders, 0);
}
