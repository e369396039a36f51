#define _GNU_SOURCE
#include "answer/files/rename_on_behalf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervise/acts.h"
#include "supervise/as_task.h"
#include "answer/files/config_replacement.h"
#include "answer/files/entry.h"
#include "base/path_list.h"
#include "report/violations.h"

/* The mount of the run that `path` is on: the longest path of the lists that contains it. */
static const char *mount_of(const struct options *options, const char *path)
{
	const char *const *lists[] = { options->writable, options->pinned, options->readonly };
	const char *best = NULL;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const char *const *root = lists[i]; *root; root++)
			if (is_within(path, *root) && (!best || strlen(*root) > strlen(best)))
				best = *root;
	return best;
}

/* The mount of the folder that contains `path`. For a rename this mount counts. */
static const char *mount_of_folder(const struct options *options, const char *path)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%s", path);
	char *slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
	return mount_of(options, folder);
}

static bool is_masked(const struct options *options, const char *path)
{
	for (const char *const *masked = options->masked; *masked; masked++)
		if (is_within(path, *masked) || is_within(*masked, path))
			return true;
	return false;
}

/* A mount point of the run is an ordinary folder to the launcher, which would move the files below it. For the run itself the
 * answer is EBUSY. */
static bool holds_mount(const struct options *options, const char *path)
{
	const char *const *lists[] = { options->writable, options->pinned, options->readonly, options->shadowed };

	for (size_t i = 0; options->mounts && i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const char *const *mount = lists[i]; *mount; mount++)
			if (is_within(*mount, path))
				return true;
	return false;
}

static bool look_at(const struct entry *entry, struct stat *info)
{
	*info = (struct stat){ 0 };
	return fstatat(entry->folder, entry->name, info, AT_SYMLINK_NOFOLLOW) == 0;
}

/* A folder that leaves a mount takes along processes that have it as their current folder or hold a descriptor below it. The kernel
 * then has no path for these, and shows the path of another file (Linux: fs/d_path.c, prepend_path). A rename that was allowed
 * before can happen between the two checks. Then the folder is moved back before any other call is allowed. `leaves`: the mount of
 * `to` contains the mount of `from`. */
static int rename_files(const struct entry *source, const struct entry *target, unsigned flags, bool leaves)
{
	bool exchanges = flags & RENAME_EXCHANGE;
	struct stat moved, other;

	if (!look_at(source, &moved) || (!look_at(target, &other) && exchanges))
		return -ENOENT;
	if ((leaves && S_ISDIR(moved.st_mode)) || (exchanges && S_ISDIR(other.st_mode)))
		return CONTINUE; /* EXDEV */
	if (syscall(__NR_renameat2, source->folder, source->name, target->folder, target->name, flags) < 0)
		return -errno;
	bool left = leaves && look_at(target, &moved) && S_ISDIR(moved.st_mode);
	if (!left && !(exchanges && look_at(source, &other) && S_ISDIR(other.st_mode)))
		return 0;
	(void)syscall(__NR_renameat2, target->folder, target->name, source->folder, source->name,
		      exchanges ? flags : RENAME_NOREPLACE);
	return -EBUSY;
}

static int rename_outside(const char *from, const char *to, unsigned flags, bool leaves)
{
	struct entry source = NO_ENTRY, target = NO_ENTRY;
	int error = open_entry(from, &source);

	if (!error)
		error = open_entry(to, &target);
	if (!error)
		error = rename_files(&source, &target, flags, leaves);
	close_entry(&source);
	close_entry(&target);
	return error;
}

struct replacement {
	const struct call *call;
	const char *shadow, *from, *to;
	unsigned flags;
	bool leaves; /* `to` is on the mount around that of `from` */
};

static int carry_out(void *argument)
{
	const struct replacement *wanted = argument;

	if (wanted->shadow)
		return replace_shadowed(wanted->call, wanted->shadow, wanted->from, wanted->to);
	return rename_outside(wanted->from, wanted->to, wanted->flags, wanted->leaves);
}

static int carry_out_nested(void *argument)
{
	const struct replacement *wanted = argument;

	return replace_real(wanted->call, wanted->from, wanted->to);
}

/* One rename at a time. Until it is made, no call is answered from an earlier look at the files. */
static int act(const struct call *call, int (*change)(void *), struct replacement *wanted)
{
	if (!begin_act())
		return LOOK_AGAIN;
	int result = as_task(call, change, wanted);
	end_act();
	return result;
}

int replace_nested(const struct call *call, const char *from, const char *to, unsigned flags)
{
	const struct options *options = call->watch->options;

	if (is_masked(options, from) || is_masked(options, to) || holds_mount(options, from))
		return CONTINUE;
	struct replacement wanted = { .call = call, .from = from, .to = to };
	if (flags == 0)
		return act(call, carry_out_nested, &wanted);
	return refuse(call, "write", "protected", to, -EACCES);
}

int replace(const struct call *call, const char *from, const char *to, unsigned flags)
{
	const struct options *options = call->watch->options;
	const char *shadow = shadow_of(options, to);

	if (!options->mounts || is_masked(options, from) || is_masked(options, to) || holds_mount(options, from))
		return CONTINUE;
	struct replacement wanted = { call, shadow, from, to, flags, false };
	if (shadow)
		return flags == 0 ? act(call, carry_out, &wanted) : CONTINUE;
	if (holds_mount(options, to))
		return CONTINUE;
	const char *source = mount_of_folder(options, from), *target = mount_of_folder(options, to);
	/* Two write roots may be separate for good reasons, and mv(1) copies between them. Only a pin's separation is bridged. */
	if (!source || !target || source == target || (!is_within(source, target) && !is_within(target, source)))
		return CONTINUE;
	wanted.leaves = is_within(source, target);
	return act(call, carry_out, &wanted);
}
