#define _GNU_SOURCE
#include "answer/files/made_files.h"

#include <fcntl.h>
#include <limits.h>
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
} pending[PENDING_MAX];
static size_t pending_count;

static time_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec;
}

static void keep_pending(bool (*stays)(const struct pending *, const void *), const void *argument)
{
	size_t kept = 0;

	for (size_t i = 0; i < pending_count; i++) {
		if (!stays(&pending[i], argument))
			continue;
		if (kept != i)
			pending[kept] = pending[i];
		kept++;
	}
	pending_count = kept;
}

static bool is_awaited(const struct pending *one, const void *now)
{
	struct statx info;

	if (!look_at(one->path, &info))
		return *(const time_t *)now - one->since < PENDING_S;
	add(identity_of(&info));
	return false;
}

static void settle_pending(void)
{
	const time_t now = seconds();

	if (pending_count > 0)
		keep_pending(is_awaited, &now);
}

void note_made(const char *path)
{
	if (pending_count == PENDING_MAX)
		settle_pending();
	if (pending_count == PENDING_MAX)
		memmove(pending, pending + 1, --pending_count * sizeof(*pending));
	struct pending *one = &pending[pending_count++];
	strcpy(one->path, path);
	one->since = seconds();
}

static bool lies_outside(const struct pending *one, const void *folder)
{
	return !is_within(one->path, folder);
}

void note_moved(const char *from, const char *to)
{
	settle_pending();
	keep_pending(lies_outside, from);
	keep_pending(lies_outside, to);
}

static bool is_made(const struct statx *info)
{
	settle_pending();
	return made_slots && *slot_of(made, made_slots, identity_of(info));
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
