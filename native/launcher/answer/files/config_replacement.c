#define _GNU_SOURCE
#include "answer/files/config_replacement.h"

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

#include "answer/files/entry.h"
#include "answer/files/git_change.h"
#include "report/violations.h"

#define SHADOW_MAX_BYTES (1u << 20)
#define FRESH_NAME_BYTES sizeof("config.ion-0123456789abcdef")

const char *shadow_of(const struct options *options, const char *path)
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

/* Writes once, padded with line ends to the old length: a concurrent reader must find a whole config, and ignores line ends. */
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

/* Writes `text` to a new file beside `target`. No call that was allowed before can name this file. Until the supervisor answers
 * this call, it allows no call that could open the file for writing, link or rename it. */
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

int replace_real(const struct call *call, const char *from, const char *to)
{
	struct entry source = NO_ENTRY, target = NO_ENTRY;
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
	close_entry(&source);
	close_entry(&target);
	free(texts);
	return error;
}

static int replace_copy(const char *shadow, const char *from)
{
	struct entry source = NO_ENTRY;
	struct stat info;
	char *text = malloc(SHADOW_MAX_BYTES);
	int error = text ? open_entry(from, &source) : -ENOMEM;
	ssize_t length = error ? error : read_whole(&source, text, &info);

	error = length < 0 ? (int)length : write_shadow(shadow, text, (size_t)length);
	if (!error)
		error = remove_read(&source, &info);
	close_entry(&source);
	free(text);
	return error;
}

int replace_shadowed(const struct call *call, const char *shadow, const char *from, const char *to)
{
	return is_shadow_gone(call, to) ? replace_real(call, from, to) : replace_copy(shadow, from);
}
