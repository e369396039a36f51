#define _GNU_SOURCE
#include "confine/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/inside_call.h"
#include "base/kernel_abi.h"
#include "confine/mount_steps.h"

int choose_nonce(struct options *options)
{
	if (getrandom(&options->nonce, sizeof(options->nonce), 0) != (ssize_t)sizeof(options->nonce))
		return -EIO;
	/* The answer of a system call: not negative, and not 0. */
	options->nonce = (options->nonce >> 2) | 1;
	return 0;
}

static int write_file(int folder, const char *name, const char *text)
{
	const size_t length = strlen(text);
	int file = openat(folder, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0444);

	if (file < 0)
		return -errno;
	int error = fchmod(file, 0444) < 0 ? -errno : 0; /* whatever the umask is */
	if (!error && write(file, text, length) != (ssize_t)length)
		error = -EIO;
	close(file);
	return error;
}

static int write_nonce(int folder, uint64_t nonce)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%" PRIu64 "\n", nonce);
	return write_file(folder, INSIDE_FILE, text);
}

int mount_inside(const struct options *options)
{
	int tree = make_tmpfs();
	if (tree < 0)
		return tree;
	int error = write_nonce(tree, options->nonce);
	if (!error && options->outer_config)
		error = write_file(tree, OUTER_CONFIG_FILE, options->outer_config);
	if (!error)
		error = add_attributes(tree, ION_MOUNT_ATTR_RDONLY, false);
	if (!error)
		error = attach_at(tree, options->inside);
	close(tree);
	return error == -ENOENT || error == -EACCES || error == -ENOTDIR ? 0 : error;
}
