#define _GNU_SOURCE
#include "cleanup/remove_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 256 /* a descriptor and a stack frame each */
#define ROUNDS_MAX 100

struct removal {
	int top; /* folders deeper than DEPTH_MAX are moved up to here, for the next round; -1: not open yet */
	unsigned moved;
};

static void empty_folder(struct removal *removal, int folder, int depth);

static int open_folder(int parent, const char *name)
{
	return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* A command may leave folders that not even their owner can read. Changes the mode by a descriptor, because fchmodat(2) would
 * follow a symlink and change its target. */
static void make_accessible(int parent, const char *name)
{
	struct stat info;
	char link[64];
	int folder = openat(parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (folder < 0)
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", folder);
	if (fstat(folder, &info) == 0 && S_ISDIR(info.st_mode))
		(void)chmod(link, 0700);
	close(folder);
}

static void move_up(struct removal *removal, int parent, const char *name)
{
	char place[64];

	snprintf(place, sizeof(place), ".ion-deep-%u", removal->moved++);
	(void)renameat(parent, name, removal->top, place);
}

/* Never follows a symlink: removes the name itself, whatever it has become. */
static void remove_entry(struct removal *removal, int parent, const char *name, int depth)
{
	if (unlinkat(parent, name, 0) == 0 || unlinkat(parent, name, AT_REMOVEDIR) == 0)
		return;
	if (depth == DEPTH_MAX) {
		move_up(removal, parent, name);
		return;
	}
	int folder = open_folder(parent, name);
	if (folder < 0) {
		make_accessible(parent, name);
		folder = open_folder(parent, name);
	}
	if (folder >= 0)
		empty_folder(removal, folder, depth + 1);
	(void)unlinkat(parent, name, AT_REMOVEDIR);
}

/* Takes the descriptor. */
static void empty_folder(struct removal *removal, int folder, int depth)
{
	(void)fchmod(folder, 0700);
	DIR *entries = fdopendir(folder);
	if (!entries) {
		close(folder);
		return;
	}
	if (depth == 1)
		removal->top = folder;
	for (struct dirent *entry; (entry = readdir(entries));)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			remove_entry(removal, folder, entry->d_name, depth);
	closedir(entries);
}

bool remove_folder(const char *folder)
{
	struct removal removal = { -1, 0 };
	struct stat info;
	bool gone = false;

	for (int round = 0; round < ROUNDS_MAX && !gone; round++) {
		unsigned before = removal.moved;
		remove_entry(&removal, AT_FDCWD, folder, 0);
		gone = lstat(folder, &info) < 0;
		/* No folder is left to move up. One more round for files that another process has put there meanwhile. */
		if (removal.moved == before && round > 0)
			break;
	}
	return gone;
}

void remove_folders(const char **folders)
{
	for (; *folders; folders++)
		(void)remove_folder(*folders);
}
