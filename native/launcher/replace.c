#define _GNU_SOURCE
#include "replace.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SHADOW_MAX_BYTES (1u << 20)

/* An entry of a folder, held by the folder. */
struct place {
	int folder;
	const char *name;
};

static bool is_within(const char *path, const char *root)
{
	size_t length = strlen(root);

	return strncmp(path, root, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

/* The launcher acts with its own rights: for a caller who has become somebody else it does nothing. */
static bool is_same_user(const struct call *call)
{
	char path[64];
	struct stat info;

	snprintf(path, sizeof(path), "/proc/%d", call->caller.pid);
	return stat(path, &info) == 0 && info.st_uid == geteuid() && still_waits(call);
}

/* `path` as the launcher sees it. A component that has become a symlink since it was resolved was swapped: no. */
static int open_place(const char *path, struct place *place)
{
	struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%s", path);
	char *slash = strrchr(folder, '/');
	if (!slash || slash == folder)
		return -EXDEV;
	*slash = '\0';
	place->name = path + (slash - folder) + 1;
	place->folder = (int)syscall(__NR_openat2, AT_FDCWD, folder, &how, sizeof(how));
	return place->folder < 0 ? -errno : 0;
}

/* Which mount of the run `path` lies on: the longest of the lists that holds it. */
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

/* Of the entry `path`: what counts is the mount that its folder lies on. */
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

static int rename_outside(const char *from, const char *to, unsigned flags)
{
	struct place source = { -1, NULL }, target = { -1, NULL };
	int error = open_place(from, &source);

	if (!error)
		error = open_place(to, &target);
	if (!error && syscall(__NR_renameat2, source.folder, source.name, target.folder, target.name, flags) < 0)
		error = -errno;
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

/* Read `source` whole. `text` has room for the old contents as well. Returns its length or -errno. */
static ssize_t read_whole(const struct place *source, char *text, struct stat *info)
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

/* In one write, with line ends up to the old length: a reader meanwhile must find a whole config, and takes no notice
 * of them. */
static int write_shadow(const char *shadow, char *text, size_t length)
{
	int fd = open(shadow, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
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
static int remove_read(const struct place *source, const struct stat *read)
{
	struct stat info;

	if (fstatat(source->folder, source->name, &info, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (info.st_dev != read->st_dev || info.st_ino != read->st_ino)
		return -EAGAIN;
	return unlinkat(source->folder, source->name, 0) < 0 ? -errno : 0;
}

static int replace_shadow(const char *shadow, const char *from)
{
	struct place source = { -1, NULL };
	struct stat info;
	char *text = malloc(SHADOW_MAX_BYTES);
	int error = text ? open_place(from, &source) : -ENOMEM;
	ssize_t length = error ? error : read_whole(&source, text, &info);

	error = length < 0 ? (int)length : write_shadow(shadow, text, (size_t)length);
	if (!error)
		error = remove_read(&source, &info);
	if (source.folder >= 0)
		close(source.folder);
	free(text);
	return error;
}

int replace(const struct call *call, const char *from, const char *to, unsigned flags)
{
	const struct options *options = call->watch->options;
	const char *shadow = shadow_of(options, to);

	if (!options->mounts || is_masked(options, from) || is_masked(options, to))
		return CONTINUE;
	if (shadow)
		return flags == 0 && is_same_user(call) ? replace_shadow(shadow, from) : CONTINUE;
	const char *source = mount_of_folder(options, from), *target = mount_of_folder(options, to);
	/* Two write roots may be two for good reasons, and mv(1) copies then: only what a pin has parted. */
	if (!source || !target || source == target || (!is_within(source, target) && !is_within(target, source)))
		return CONTINUE;
	return is_same_user(call) ? rename_outside(from, to, flags) : CONTINUE;
}
