#define _GNU_SOURCE
#include "answer/files/kept_mounts.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/inotify.h>
#include <unistd.h>

static bool watch_all(int moves, const char *const *paths)
{
	for (; *paths; paths++)
		if (inotify_add_watch(moves, *paths, IN_MOVE_SELF | IN_DONT_FOLLOW) < 0)
			return false;
	return true;
}

void expect_moves(const struct options *options, struct kept_mounts *kept)
{
	kept->moves = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (kept->moves < 0 || (watch_all(kept->moves, options->pinned) && watch_all(kept->moves, options->readonly) &&
				watch_all(kept->moves, options->shadowed)))
		return;
	close(kept->moves);
	kept->moves = -1;
}

void expect_removals(struct kept_mounts *kept)
{
	kept->table = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
}

/* A change of the table is reported once, and as an error (proc_pid_mountinfo(5)): the thread that sees it remembers it for all. */
bool mounts_are_kept(const struct kept_mounts *kept)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static bool changed;
	struct pollfd waits[] = { { .fd = kept->moves, .events = POLLIN }, { .fd = kept->table, .events = POLLPRI } };

	pthread_mutex_lock(&lock);
	if (changed || kept->moves < 0 || kept->table < 0 || poll(waits, 2, 0) != 0)
		changed = true;
	bool are = !changed;
	pthread_mutex_unlock(&lock);
	return are;
}
