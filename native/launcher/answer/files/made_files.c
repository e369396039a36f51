#define _GNU_SOURCE
#include "answer/files/made_files.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/hash.h"
#include "base/path_list.h"

static struct timespec started;

void remember_start(void)
{
	clock_gettime(CLOCK_REALTIME_COARSE, &started);
}

/* A growing hash table with free room, by the identity of a file (identity_of). If a run creates more files than fit, the rest
 * counts as old, and is guarded. */
#define MADE_FIRST 1024u
#define MADE_MAX (1u << 21)

static uint64_t *made;
static size_t made_slots, made_count;

/* Guards the table and the pending paths below. No thread looks at a file while it holds the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t *slot_of(uint64_t *slots, size_t count, uint64_t identity)
{
	size_t at = identity & (count - 1);

	while (slots[at] && slots[at] != identity)
		at = (at + 1) & (count - 1);
	return &slots[at];
}

static bool grow(void)
{
	size_t count = made_slots ? 2 * made_slots : MADE_FIRST;
	uint64_t *slots = count > MADE_MAX ? NULL : calloc(count, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < made_slots; i++)
		if (made[i])
			*slot_of(slots, count, made[i]) = made[i];
	free(made);
	made = slots;
	made_slots = count;
	return true;
}

static void add(uint64_t identity)
{
	if (2 * (made_count + 1) > made_slots && !grow())
		return;
	uint64_t *slot = slot_of(made, made_slots, identity);
	made_count += *slot == 0;
	*slot = identity;
}

/* An inode number is soon reused, but not with the same time of birth. */
static uint64_t identity_of(const struct statx *info)
{
	const uint64_t parts[] = { info->stx_dev_major, info->stx_dev_minor, info->stx_ino, (uint64_t)info->stx_btime.tv_sec,
				   info->stx_btime.tv_nsec };
	uint64_t hash = hash_key();

	for (size_t i = 0; i < sizeof(parts); i++)
		hash = (hash ^ ((const unsigned char *)parts)[i]) * 0x100000001b3ull;
	return hash ? hash : 1;
}

static bool look_at(const char *path, struct statx *info)
{
	*info = (struct statx){ 0 };
	return statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME | STATX_TYPE | STATX_INO, info) == 0;
}

/* Paths that the run was allowed to create and that do not exist yet: the call follows the answer. If a path does not exist by
 * the next check, the call failed, and a file that another process creates there later does not belong to the run. */
#define PENDING_MAX 64
#define PENDING_S 5

static struct pending {
	char path[PATH_MAX];
	time_t since;
	uint64_t number; /* ascending */
} pending[PENDING_MAX];
static size_t pending_count;

static time_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec;
}

/* The first pending path behind `number`. */
static bool next_pending(uint64_t number, struct pending *next)
{
	size_t i = 0;

	pthread_mutex_lock(&lock);
	while (i < pending_count && pending[i].number <= number)
		i++;
	bool found = i < pending_count;
	if (found) {
		strcpy(next->path, pending[i].path);
		next->since = pending[i].since;
		next->number = pending[i].number;
	}
	pthread_mutex_unlock(&lock);
	return found;
}

static void drop_pending(size_t at)
{
	memmove(pending + at, pending + at + 1, (--pending_count - at) * sizeof(*pending));
}

static bool drop_number(uint64_t number)
{
	for (size_t i = 0; i < pending_count; i++) {
		if (pending[i].number == number) {
			drop_pending(i);
			return true;
		}
	}
	return false;
}

static void decide_pending(void)
{
	struct pending one = { .number = 0 };
	const time_t now = seconds();
	struct statx info;

	while (next_pending(one.number, &one)) {
		bool is_there = look_at(one.path, &info);
		if (!is_there && now - one.since < PENDING_S)
			continue;
		pthread_mutex_lock(&lock);
		/* A file that a rename brought there does not count. The rename dropped the path before it was allowed. */
		if (drop_number(one.number) && is_there)
			add(identity_of(&info));
		pthread_mutex_unlock(&lock);
	}
}

static bool is_full(void)
{
	pthread_mutex_lock(&lock);
	bool full = pending_count == PENDING_MAX;
	pthread_mutex_unlock(&lock);
	return full;
}

void note_made(const char *path)
{
	static uint64_t number;

	if (is_full())
		decide_pending();
	pthread_mutex_lock(&lock);
	if (pending_count == PENDING_MAX)
		drop_pending(0);
	struct pending *one = &pending[pending_count++];
	strcpy(one->path, path);
	one->since = seconds();
	one->number = ++number;
	pthread_mutex_unlock(&lock);
}

void note_moved(const char *from, const char *to)
{
	decide_pending();
	pthread_mutex_lock(&lock);
	for (size_t i = pending_count; i-- > 0;)
		if (is_within(pending[i].path, from) || is_within(pending[i].path, to))
			drop_pending(i);
	pthread_mutex_unlock(&lock);
}

static bool is_made(const struct statx *info)
{
	decide_pending();
	pthread_mutex_lock(&lock);
	bool is = made_slots && *slot_of(made, made_slots, identity_of(info));
	pthread_mutex_unlock(&lock);
	return is;
}

enum age age_of(const char *path, unsigned type)
{
	struct statx info;

	if (!look_at(path, &info) || (info.stx_mode & S_IFMT) != type)
		return NOT_THERE;
	bool earlier = (info.stx_mask & STATX_BTIME) &&
		       (info.stx_btime.tv_sec < started.tv_sec ||
			(info.stx_btime.tv_sec == started.tv_sec && (long)info.stx_btime.tv_nsec < started.tv_nsec));
	return !earlier && is_made(&info) ? MADE : WAS_THERE;
}

bool run_made(const char *path)
{
	return age_of(path, S_IFREG) == MADE || age_of(path, S_IFDIR) == MADE;
}
