#define _GNU_SOURCE
#include "confine/noexec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/kernel_abi.h"
#include "confine/mount_steps.h"

static int close_folder(const char *path)
{
	int tree = copy_tree_at(path);
	if (tree < 0)
		return tree == -ENOENT ? 0 : tree; /* removed since ion's check: Landlock does not let a replacement execute */
	int error = attach_at(tree, path);
	if (!error)
		error = add_attributes(tree, ION_MOUNT_ATTR_NOEXEC, true);
	close(tree);
	return error;
}

/* Makes everything but `executable` non-executable. The mounts of `executable` are copied first, while their files may execute.
 * The copies are mounted again after the whole tree is closed, as is done for writable mounts (mounts.c). */
static int close_all_but(const char *const *executable, int *trees, const char **path)
{
	for (size_t i = 0; executable[i]; i++) {
		trees[i] = copy_tree_at(*path = executable[i]);
		if (trees[i] < 0 && trees[i] != -ENOENT)
			return trees[i];
	}
	int root = open(*path = "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int error = root < 0 ? -errno : add_attributes(root, ION_MOUNT_ATTR_NOEXEC, true);
	if (root >= 0)
		close(root);
	for (size_t i = 0; executable[i] && !error; i++)
		if (trees[i] >= 0)
			error = attach_at(trees[i], *path = executable[i]);
	return error;
}

int arrange_execution(const struct options *options, const char **path)
{
	size_t count = 0;

	while (options->executable[count])
		count++;
	if (count == 0)
		return 0;
	int *trees = malloc(count * sizeof(int));
	if (!trees)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		trees[i] = -1;
	int error = close_all_but(options->executable, trees, path);
	for (size_t i = 0; i < count; i++)
		if (trees[i] >= 0)
			close(trees[i]);
	free(trees);
	for (size_t i = 0; options->noexec[i] && !error; i++)
		error = close_folder(*path = options->noexec[i]);
	return error;
}
