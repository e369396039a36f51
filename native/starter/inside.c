#define _GNU_SOURCE
#include "inside.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/inside_call.h"

/* Only the launcher could mount a file system here, and its mounts are read-only. */
static bool is_launchers(int file)
{
	struct statfs info;

	return fstatfs(file, &info) == 0 && info.f_type == TMPFS_MAGIC && info.f_flags & ST_RDONLY;
}

bool is_inside(const struct package *package)
{
	char path[PATH_MAX], text[32];
	long nonce = syscall(__NR_prctl, ION_INSIDE_CALL, 0, 0, 0, 0);

	if (nonce <= 0 || (size_t)snprintf(path, sizeof(path), "%s/profiles/inside/" INSIDE_FILE, package->root) >= sizeof(path))
		return false;
	int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (file < 0)
		return false;
	ssize_t length = is_launchers(file) ? read(file, text, sizeof(text) - 1) : -1;
	close(file);
	if (length <= 0)
		return false;
	text[length] = '\0';
	return strtol(text, NULL, 10) == nonce;
}

static bool is_named(const char *called, const char *const *names)
{
	const char *slash = strrchr(called, '/');
	const char *name = slash ? slash + 1 : called;

	for (name += *name == '-'; *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

void execute_bash(const struct package *package, int argc, char **argv, char **environment)
{
	static const char *const posix[] = { "sh", "dash", "ash", NULL }, *const other[] = { "zsh", NULL };
	const bool whole = strcmp(package->program, "ion-exec") == 0;
	char **words = calloc((size_t)argc + 6, sizeof(char *));
	size_t count = 0;

	if (!words || argc < 1 || is_named(argv[0], other) || (whole && argc != 2))
		return;
	words[count++] = "/bin/bash";
	words[count++] = "--norc";
	if (!whole && is_named(argv[0], posix))
		words[count++] = "--posix";
	if (whole) {
		words[count++] = "-c";
		words[count++] = "--";
	}
	for (int i = 1; i < argc; i++)
		words[count++] = argv[i];
	execve(words[0], words, environment);
	words[0] = "/usr/bin/bash";
	execve(words[0], words, environment);
	free(words);
}
