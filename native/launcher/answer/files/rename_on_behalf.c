#define _GNU_SOURCE
#include "answer/files/rename_on_behalf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervise/as_task.h"
#include "answer/files/git_change.h"
#include "base/path_list.h"
#include "report/violations.h"

#define SHADOW_MAX_BYTES (1u << 20)
#define FRESH_NAME_BYTES sizeof("config.ion-0123456789abcdef")

/* An entry of a folder. The folder is held open. */
struct entry {
	int folder;
	const char *name;
};

/* `path` in the launcher's view. Fails if a component has become a symlink since it was resolved: another process swapped it. */
static int open_entry(const char *path, struct entry *entry)
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

/* Of the entry `path`: the mount of its folder counts. */
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

/* A folder that leaves a mount takes along processes that have it as their current folder or hold a descriptor below it. The
 * kernel then has no path for these, and shows the path of another file (Linux: fs/d_path.c, prepend_path). A rename that was
 * allowed before can happen between the two checks. Then the folder is moved back before any other call is allowed. `leaves`:
 * `to` is on the mount around that of `from`. */
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
	struct entry source = { -1, NULL }, target = { -1, NULL };
	int error = open_entry(from, &source);

	if (!error)
		error = open_entry(to, &target);
	if (!error)
		error = rename_files(&source, &target, flags, leaves);
	if (source.folder >= 0)
		close(source.folder);
	if (target.folder >= 0)
		close(target.folder);
	return error;
}

static const char *shadow_of(const struct options *options, const char *path)
{
	for (size_t i = 0; options->shadowed[i]; i++)
		if (strcmp(options->shadowed[i], path) == 0)
			return options->shadows[i];
	return NULL;
}

/* Read all of `source`. `text` has room for the old contents as well. Returns its length or -errno. */
static ssize_t read_whole(const struct entry *source, char *text, struct stat *info)
{
	int fd = openat(source->folder, source->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t length = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, info) < 0 || !S_ISREG(info->st_mode) || info->st_size > SHADOW_MAX_BYTES) {
		close(fd);
		return -EFBIG;
	}
	for (ssize_t count = 1; count > 0 && length < SHADOW_MAX_BYTES; length += count) {
		count = read(fd, text + length, SHADOW_MAX_BYTES - (size_t)length);
		if (count < 0) {
			length = -errno;
			break;
		}
	}
	close(fd);
	return length;
}

/* In one write, padded with line ends to the old length: a concurrent reader must find a whole config, and ignores them. */
static int write_shadow(const char *shadow, char *text, size_t length)
{
	/* NONBLOCK: a lease that the command holds on the file would block the supervisor. */
	int fd = open(shadow, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat info;

	if (fd < 0)
		return -errno;
	int error = fstat(fd, &info) < 0 ? -errno : 0;
	size_t old = error ? 0 : (size_t)info.st_size;
	size_t whole = old > length && old <= SHADOW_MAX_BYTES ? old : length;
	memset(text + length, '\n', whole - length);
	if (!error && pwrite(fd, text, whole, 0) != (ssize_t)whole)
		error = -EIO;
	if (!error && ftruncate(fd, (off_t)length) < 0)
		error = -errno;
	close(fd);
	return error;
}

/* Only if it is still the file that was read. */
static int remove_read(const struct entry *source, const struct stat *read)
{
	struct stat info;

	if (fstatat(source->folder, source->name, &info, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (info.st_dev != read->st_dev || info.st_ino != read->st_ino)
		return -EAGAIN;
	return unlinkat(source->folder, source->name, 0) < 0 ? -errno : 0;
}

bool is_shadow_gone(const struct call *call, const char *path)
{
	const char *shadow = shadow_of(call->watch->options, path);
	struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	struct stat seen, own;

	if (!shadow || stat(shadow, &own) < 0)
		return false;
	int fd = (int)syscall(__NR_openat2, call->task.root, path, &how, sizeof(how));
	bool gone = fd < 0 || fstat(fd, &seen) < 0 || seen.st_dev != own.st_dev || seen.st_ino != own.st_ino;
	if (fd >= 0)
		close(fd);
	return gone;
}

/* Writes `text` to a new file beside `target`. No call that was allowed before can name this file. Until this call is
 * answered, no call is allowed that could open it for writing, link or rename it. */
static int make_fresh(const struct entry *target, char name[FRESH_NAME_BYTES], const char *text, size_t length, const struct stat *like)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return -EIO;
	snprintf(name, FRESH_NAME_BYTES, "config.ion-%016llx", (unsigned long long)random);
	int fd = openat(target->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	int error = write(fd, text, length) == (ssize_t)length ? 0 : -EIO;
	if (!error && (fchown(fd, like->st_uid, like->st_gid) < 0 || fchmod(fd, like->st_mode & 0777) < 0))
		error = -errno;
	close(fd);
	return error;
}

static int put_fresh(const struct entry *target, const char *text, size_t length, const struct stat *like)
{
	char name[FRESH_NAME_BYTES] = "";
	int error = make_fresh(target, name, text, length, like);

	if (!error && renameat(target->folder, name, target->folder, target->name) < 0)
		error = -errno;
	if (error && *name)
		(void)unlinkat(target->folder, name, 0);
	return error;
}

/* A process outside has replaced the file, and the kernel removed the mount with the old one: the command sees the file
 * itself. A plain change is made there, from a text that no process can change any more. Every other change is refused. */
static int replace_real(const struct call *call, const char *from, const char *to)
{
	struct entry source = { -1, NULL }, target = { -1, NULL };
	struct stat source_info, target_info;
	char *texts = malloc(2 * (size_t)SHADOW_MAX_BYTES), *next = texts, *base = texts + SHADOW_MAX_BYTES;
	int error = texts ? open_entry(from, &source) : -ENOMEM;

	if (!error)
		error = open_entry(to, &target);
	ssize_t next_length = error ? error : read_whole(&source, next, &source_info);
	ssize_t base_length = next_length < 0 ? next_length : read_whole(&target, base, &target_info);
	error = base_length < 0 ? (int)base_length : 0;
	if (!error && !is_plain_change(base, (size_t)base_length, next, (size_t)next_length))
		error = refuse(call, "write", "protected", to, -EACCES);
	if (!error)
		error = put_fresh(&target, next, (size_t)next_length, &target_info);
	if (!error)
		(void)remove_read(&source, &source_info);
	if (source.folder >= 0)
		close(source.folder);
	if (target.folder >= 0)
		close(target.folder);
	free(texts);
	return error;
}

static int replace_copy(const char *shadow, const char *from)
{
	struct entry source = { -1, NULL };
	struct stat info;
	char *text = malloc(SHADOW_MAX_BYTES);
	int error = text ? open_entry(from, &source) : -ENOMEM;
	ssize_t length = error ? error : read_whole(&source, text, &info);

	error = length < 0 ? (int)length : write_shadow(shadow, text, (size_t)length);
	if (!error)
		error = remove_read(&source, &info);
	if (source.folder >= 0)
		close(source.folder);
	free(text);
	return error;
}

static int replace_shadowed(const struct call *call, const char *shadow, const char *from, const char *to)
{
	return is_shadow_gone(call, to) ? replace_real(call, from, to) : replace_copy(shadow, from);
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

int replace_nested(const struct call *call, const char *from, const char *to, unsigned flags)
{
	const struct options *options = call->watch->options;

	if (is_masked(options, from) || is_masked(options, to) || holds_mount(options, from))
		return CONTINUE;
	struct replacement wanted = { .call = call, .from = from, .to = to };
	if (flags == 0)
		return as_task(call, carry_out_nested, &wanted);
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
		return flags == 0 ? as_task(call, carry_out, &wanted) : CONTINUE;
	if (holds_mount(options, to))
		return CONTINUE;
	const char *source = mount_of_folder(options, from), *target = mount_of_folder(options, to);
	/* Two write roots may be separate for good reasons, and mv(1) copies between them. Only a pin's separation is bridged. */
	if (!source || !target || source == target || (!is_within(source, target) && !is_within(target, source)))
		return CONTINUE;
	wanted.leaves = is_within(source, target);
	return as_task(call, carry_out, &wanted);
}
