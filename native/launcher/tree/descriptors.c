#define _GNU_SOURCE
#include "tree/descriptors.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "tree/tree.h"
#include "limits/tree_usage.h"

#define FILES_MAX 4096
#define TURN_MS 20
#define CLOCK_EACH 64 /* descriptors between two looks at the clock */

/* Memfds that were already counted in this round: several processes may hold one. */
static struct {
	struct {
		dev_t device;
		ino_t inode;
	} files[FILES_MAX];
	size_t length;
	uint64_t bytes, last_bytes; /* bytes of this round so far, and of the last whole one */
	pid_t next;	 /* where the round goes on */
	pid_t partly;	 /* the process in which time was up */
	long position;	 /* in its descriptors */
} memory;

/* If the first thread of a process has ended, another thread shows its descriptors. */
static void put_folder(char *path, size_t size, pid_t pid)
{
	snprintf(path, size, "/proc/%d/fd", living_thread(pid));
}

static void add_file_once(const struct stat *info)
{
	for (size_t i = 0; i < memory.length; i++)
		if (memory.files[i].device == info->st_dev && memory.files[i].inode == info->st_ino)
			return;
	if (memory.length == FILES_MAX)
		return;
	memory.files[memory.length].device = info->st_dev;
	memory.files[memory.length++].inode = info->st_ino;
	memory.bytes += (uint64_t)info->st_blocks * 512;
}

/* Data in a memfd is in no process's resident set. Other files are not examined: stat(2) of a file on a network may never
 * return. */
static void add_if_in_memory(int folder, const char *name)
{
	char link[16];
	struct stat info;

	if (readlinkat(folder, name, link, sizeof(link)) > 7 && strncmp(link, "/memfd:", 7) == 0 &&
	    fstatat(folder, name, &info, 0) == 0)
		add_file_once(&info);
}

static bool add_files_in_memory(pid_t pid, uint64_t until, void *unused)
{
	char path[64];
	size_t count = 0;
	bool done = true;

	(void)unused;
	put_folder(path, sizeof(path), pid);
	DIR *descriptors = opendir(path);
	if (!descriptors)
		return true;
	/* The position is a descriptor number: opening or closing others does not move it. */
	if (pid == memory.partly)
		seekdir(descriptors, memory.position);
	memory.partly = 0;
	for (struct dirent *entry; done && (entry = readdir(descriptors));) {
		if (entry->d_name[0] != '.')
			add_if_in_memory(dirfd(descriptors), entry->d_name);
		done = ++count % CLOCK_EACH != 0 || milliseconds(CLOCK_MONOTONIC) < until;
	}
	if (!done) {
		memory.partly = pid;
		memory.position = telldir(descriptors);
	}
	closedir(descriptors);
	return done;
}

uint64_t memory_held_open(void)
{
	if (visit_tree_in_turns(&memory.next, TURN_MS, add_files_in_memory, NULL)) {
		memory.last_bytes = memory.bytes;
		memory.bytes = 0;
		memory.length = 0;
	}
	return memory.bytes > memory.last_bytes ? memory.bytes : memory.last_bytes;
}

/* From Linux 6.2 on the folder's size is their number; before it is 0. */
static uint64_t count_descriptors(pid_t pid, uint64_t most)
{
	char path[64];
	struct stat info;
	uint64_t count = 0;

	put_folder(path, sizeof(path), pid);
	if (stat(path, &info) == 0 && info.st_size > 0)
		return (uint64_t)info.st_size;
	DIR *descriptors = opendir(path);
	if (!descriptors)
		return 0;
	for (struct dirent *entry; count < most && (entry = readdir(descriptors));)
		count += entry->d_name[0] != '.';
	closedir(descriptors);
	return count;
}

struct search {
	uint64_t limit, count;
	pid_t pid;
};

static bool keep_most(pid_t pid, uint64_t until, void *argument)
{
	struct search *search = argument;
	uint64_t count = count_descriptors(pid, search->limit);

	(void)until;
	if (count >= search->limit && count > search->count) {
		search->count = count;
		search->pid = pid;
	}
	return true;
}

bool find_most_files(uint64_t limit, pid_t *pid, uint64_t *count)
{
	static pid_t next;
	struct search search = { .limit = limit };

	visit_tree_in_turns(&next, TURN_MS, keep_most, &search);
	*pid = search.pid;
	*count = search.count;
	return search.pid != 0;
}
