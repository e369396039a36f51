#define _GNU_SOURCE
#include "confine/devices.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/kernel_abi.h"
#include "confine/mount_steps.h"

#define FSCONFIG_SET_STRING 1u
#define RULE_PATH_BENEATH 1

struct setting {
	const char *key, *value;
};

/* Does not follow a symlink: on some systems /dev/ptmx is one (to pts/ptmx), and then it needs no mount. */
static int open_place(const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };
	long fd = syscall(__NR_openat2, AT_FDCWD, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

static int move_onto(int tree, const char *path)
{
	const unsigned flags = ION_MOVE_MOUNT_F_EMPTY_PATH | ION_MOVE_MOUNT_T_EMPTY_PATH;
	int onto = open_place(path);

	if (onto < 0)
		return onto;
	int error = syscall(__NR_move_mount, tree, "", onto, "", flags) < 0 ? -errno : 0;
	close(onto);
	return error;
}

/* A new file system of `type` at `path`. */
static int mount_new(const char *type, const struct setting *settings, const char *path)
{
	int error = 0;
	int context = (int)syscall(__NR_fsopen, type, 1 /* FSOPEN_CLOEXEC */);

	if (context < 0)
		return -errno;
	for (; settings->key && !error; settings++)
		if (syscall(__NR_fsconfig, context, FSCONFIG_SET_STRING, settings->key, settings->value, 0) < 0)
			error = -errno;
	if (!error && syscall(__NR_fsconfig, context, ION_FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		error = -errno;
	int tree = error ? -1 : (int)syscall(__NR_fsmount, context, 1 /* FSMOUNT_CLOEXEC */, 0);
	if (!error && tree < 0)
		error = -errno;
	close(context);
	if (error)
		return error;
	error = move_onto(tree, path);
	close(tree);
	return error;
}

/* Mount the file or folder `fd` at `path`. */
static int bind_onto(int fd, const char *path)
{
	int tree = (int)syscall(__NR_open_tree, fd, "", AT_EMPTY_PATH | ION_OPEN_TREE_CLONE | O_CLOEXEC);

	if (tree < 0)
		return -errno;
	int error = move_onto(tree, path);
	close(tree);
	return error;
}

static bool find_own_terminal(char path[64])
{
	char link[32];

	for (int fd = 0; fd <= 2; fd++) {
		if (!isatty(fd))
			continue;
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		ssize_t length = readlink(link, path, 63);
		path[length > 0 ? length : 0] = '\0';
		if (strncmp(path, "/dev/pts/", 9) == 0)
			return true;
	}
	return false;
}

bool is_own_terminal(const struct options *options, const char *path)
{
	char terminal[64];

	return options->own_devices && strcmp(path, "/dev/console") == 0 && find_own_terminal(terminal);
}

/* The pseudo-terminal among the standard streams, by its path, as O_PATH in the run's own mounts. The stream itself is on a
 * mount of the namespace outside, which cannot be copied from here. -1: none. */
static int open_own_terminal(void)
{
	char path[64];

	return find_own_terminal(path) ? open_place(path) : -1;
}

/* ttyname(3) searches /dev when the name in /dev/pts belongs to another terminal: let it find this one. */
static int show_own_terminal(int terminal)
{
	if (terminal < 0 || access("/dev/console", F_OK) < 0)
		return 0;
	return bind_onto(terminal, "/dev/console");
}

static int arrange_terminals(const char **path)
{
	static const struct setting pts[] = { { "ptmxmode", "0666" }, { "mode", "0620" }, { NULL, NULL } };
	int terminal = open_own_terminal();

	int error = mount_new("devpts", pts, *path = "/dev/pts");
	int ptmx = error ? -1 : open_place("/dev/pts/ptmx");
	if (!error)
		error = ptmx < 0 ? ptmx : bind_onto(ptmx, *path = "/dev/ptmx");
	if (ptmx >= 0)
		close(ptmx);
	if (error == -ELOOP) /* /dev/ptmx is a symlink to pts/ptmx */
		error = 0;
	if (!error) {
		*path = "/dev/console";
		error = show_own_terminal(terminal);
	}
	if (terminal >= 0)
		close(terminal);
	return error;
}

/* In read mode a file that the command can write never executes (noexec.c closed the earlier mounts). */
static int close_shared_memory(const struct options *options)
{
	if (!options->executable[0])
		return 0;
	int folder = open("/dev/shm", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int error = folder < 0 ? -errno : add_attributes(folder, ION_MOUNT_ATTR_NOEXEC, false);
	if (folder >= 0)
		close(folder);
	return error;
}

int arrange_devices(const struct options *options, const char **path)
{
	char bytes[24];
	/* Without a size the limit is half of the machine's memory, as outside. */
	const struct setting shm[] = { { "mode", "1777" }, { options->limits.memory ? "size" : NULL, bytes }, { NULL, NULL } };
	int error = arrange_terminals(path);

	snprintf(bytes, sizeof(bytes), "%llu", (unsigned long long)options->limits.memory);

	if (error || !options->own_shm)
		return error;
	error = mount_new("tmpfs", shm, *path = "/dev/shm");
	return error ? error : close_shared_memory(options);
}

static int grant(int ruleset_fd, const char *path, uint64_t access)
{
	struct __attribute__((packed)) {
		uint64_t allowed_access;
		int32_t parent_fd;
	} rule = { access, open(path, O_PATH | O_CLOEXEC) };

	if (rule.parent_fd < 0)
		return errno == ENOENT ? 0 : -errno;
	int error = syscall(__NR_landlock_add_rule, ruleset_fd, RULE_PATH_BENEATH, &rule, 0) < 0 ? -errno : 0;
	close(rule.parent_fd);
	return error;
}

/* Rights that are valid on a file. A rule on a file with READ_DIR is EINVAL. */
#define ON_FILES ((1u << 0) | (1u << 1) | (1u << 2) | (1u << 14) | (1u << 15) | (1u << 16))

/* Whether /dev/console is a pseudo-terminal. No run may open the machine's own console. */
static bool shows_terminal(void)
{
	struct stat info;

	return stat("/dev/console", &info) == 0 && S_ISCHR(info.st_mode) && major(info.st_rdev) >= 136 &&
	       major(info.st_rdev) <= 143;
}

int grant_devices(const struct options *options, int ruleset_fd)
{
	int error = grant(ruleset_fd, "/dev/pts", options->pts_access);

	if (!error)
		error = grant(ruleset_fd, "/dev/ptmx", options->pts_access & ON_FILES);
	if (!error && shows_terminal())
		error = grant(ruleset_fd, "/dev/console", options->pts_access & ON_FILES);
	if (!error && options->own_shm && options->shm_access)
		error = grant(ruleset_fd, "/dev/shm", options->shm_access);
	return error;
}

int grant_own_proc(const struct options *options, int ruleset_fd)
{
	return grant(ruleset_fd, "/proc", options->proc_access);
}
