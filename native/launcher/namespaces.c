#define _GNU_SOURCE
#include "namespaces.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ssize_t written = write(fd, text, strlen(text));
	int error = written < 0 ? -errno : 0;
	close(fd);
	return error;
}

/* One line each: an unprivileged process may map itself and nobody else (user_namespaces(7)). setgroups must be
 * denied first, or a process could drop a group that a file's mode shuts out. */
static int map_self(uid_t uid, gid_t gid)
{
	char line[64];
	int error = write_file("/proc/self/setgroups", "deny");

	if (error && error != -ENOENT)
		return error;
	snprintf(line, sizeof(line), "%u %u 1\n", uid, uid);
	if ((error = write_file("/proc/self/uid_map", line)))
		return error;
	snprintf(line, sizeof(line), "%u %u 1\n", gid, gid);
	return write_file("/proc/self/gid_map", line);
}

int enter_namespaces(const struct options *options, const char **step)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int flags = (options->mounts ? CLONE_NEWNS | CLONE_NEWIPC : 0) |
		    (options->network_namespace ? CLONE_NEWNET : 0);

	if (flags == 0)
		return 0;
	if (options->user_namespace)
		flags |= CLONE_NEWUSER;
	*step = "namespaces";
	if (unshare(flags) < 0)
		return -errno;
	*step = "user namespace map";
	/* Gaining capabilities has made this task undumpable, and its /proc files root's. */
	if (prctl(PR_SET_DUMPABLE, 1) < 0)
		return -errno;
	return options->user_namespace ? map_self(uid, gid) : 0;
}

int raise_loopback(void)
{
	struct ifreq request = { .ifr_name = "lo" };
	int error = 0;

	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	request.ifr_flags = IFF_UP;
	if (ioctl(fd, SIOCSIFFLAGS, &request) < 0)
		error = -errno;
	close(fd);
	return error;
}
