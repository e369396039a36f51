#define _GNU_SOURCE
#include "confine/remount.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/kernel_abi.h"
#include "confine/mount_steps.h"

#ifndef MS_NOSYMFOLLOW
#define MS_NOSYMFOLLOW 256
#endif

struct line {
	int id, parent;
	char *path, *options;
};

unsigned long flags_of_options(const char *options)
{
	static const struct {
		const char *name;
		unsigned long flag;
	} known[] = { { "ro", MS_RDONLY },     { "nosuid", MS_NOSUID },
		      { "nodev", MS_NODEV },   { "noexec", MS_NOEXEC },
		      { "noatime", MS_NOATIME }, { "nodiratime", MS_NODIRATIME },
		      { "relatime", MS_RELATIME }, { "nosymfollow", MS_NOSYMFOLLOW } };
	unsigned long flags = 0;

	for (const char *at = options; *at; at += strcspn(at, ","), at += *at == ',') {
		size_t length = strcspn(at, ",");
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			if (strlen(known[i].name) == length && memcmp(at, known[i].name, length) == 0)
				flags |= known[i].flag;
	}
	return flags;
}

void unescape_mount_path(char *path)
{
	char *to = path;

	for (const char *from = path; *from; to++) {
		unsigned code;
		if (from[0] == '\\' && sscanf(from + 1, "%3o", &code) == 1 && strspn(from + 1, "01234567") >= 3) {
			*to = (char)code;
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

/* "36 35 98:0 /root /path rw,noatime master:1 - ext4 ..." */
static bool parse_line(char *text, struct line *line)
{
	int path, path_end, options, options_end;

	if (sscanf(text, "%d %d %*s %*s %n%*s%n %n%*s%n", &line->id, &line->parent, &path, &path_end, &options, &options_end) != 2)
		return false;
	line->path = text + path;
	line->options = text + options;
	text[path_end] = text[options_end] = '\0';
	unescape_mount_path(line->path);
	return true;
}

/* The mount of a descriptor. statx(2) shows it only from Linux 5.8 on. */
static int mount_of(int fd)
{
	char name[64], text[256];
	int id = -1;

	snprintf(name, sizeof(name), "/proc/self/fdinfo/%d", fd);
	FILE *file = fopen(name, "re");
	if (!file)
		return -1;
	while (fgets(text, sizeof(text), file) && sscanf(text, "mnt_id: %d", &id) != 1)
		;
	fclose(file);
	return id;
}

static int remount_one(int fd, const struct line *line, unsigned long added)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	unsigned long flags = MS_REMOUNT | MS_BIND | flags_of_options(line->options) | added;
	return mount(NULL, name, NULL, flags, NULL) < 0 ? -errno : 0;
}

/* Through a descriptor whose mount is known: a path leads to the most recent mount there. */
static int remount_line(const struct line *line, unsigned long added)
{
	int fd = open_path(line->path);

	if (fd == -ENOENT || fd == -EACCES || fd == -ENOTDIR)
		return 0; /* hidden, or closed to this user: the command cannot reach it either */
	if (fd < 0)
		return fd;
	int error = mount_of(fd) == line->id ? remount_one(fd, line, added) : 0;
	close(fd);
	return error;
}

static bool is_among(const int *ids, size_t count, int id)
{
	for (size_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

/* The mounts below it, in passes: a mount may be listed before its parent. `ids` begins with the top one. */
static int remount_below(const struct line *lines, size_t count, int *ids, unsigned long added)
{
	size_t found = 1, before = 0;
	int error = 0;

	while (found > before && !error) {
		before = found;
		for (size_t i = 0; i < count && !error; i++) {
			if (is_among(ids, found, lines[i].id) || !is_among(ids, found, lines[i].parent))
				continue;
			ids[found++] = lines[i].id;
			error = remount_line(&lines[i], added);
		}
	}
	return error;
}

static int remount_listed(int mount, const struct line *lines, size_t count, unsigned long added, bool below)
{
	int *ids = calloc(count + 1, sizeof(int));
	int id = mount_of(mount), error = -EINVAL;

	if (!ids)
		return -ENOMEM;
	ids[0] = id;
	for (size_t i = 0; i < count; i++)
		if (lines[i].id == id)
			error = remount_one(mount, &lines[i], added);
	if (!error && below)
		error = remount_below(lines, count, ids, added);
	free(ids);
	return error;
}

/* Reads the whole file. NULL when that fails. */
static char *read_mountinfo(void)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		return NULL;
	if (getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

int remount(int mount, unsigned long long attributes, bool below)
{
	unsigned long added = (attributes & ION_MOUNT_ATTR_RDONLY ? MS_RDONLY : 0) |
			      (attributes & ION_MOUNT_ATTR_NOEXEC ? MS_NOEXEC : 0);
	size_t count = 0, room = 1;

	if (attributes & ~(ION_MOUNT_ATTR_RDONLY | ION_MOUNT_ATTR_NOEXEC))
		return -EINVAL;
	char *text = read_mountinfo();
	if (!text)
		return -ENOENT;
	for (const char *at = text; *at; at++)
		room += *at == '\n';
	struct line *lines = calloc(room, sizeof(*lines));
	char *rest = text;
	for (char *one; lines && (one = strsep(&rest, "\n"));)
		count += parse_line(one, &lines[count]);
	int error = lines ? remount_listed(mount, lines, count, added, below) : -ENOMEM;
	free(lines);
	free(text);
	return error;
}
