#define _GNU_SOURCE
#include "confine/namespaces.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "options/standby.h"
#include "confine/user_map.h"

static int raise_loopback(void)
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

static int create(int flags, bool all_users, const char **step)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	struct mapper mapper = NO_MAPPER;
	int error;

	*step = "user namespace map";
	if (all_users && (error = start_mapper(&mapper)))
		return error;
	*step = "namespaces";
	if (flags && unshare(flags) < 0) {
		error = -errno;
		cancel_mapper(&mapper);
		return error;
	}
	*step = "user namespace map";
	/* The new capabilities have made this task undumpable, and its /proc files belong to root. */
	if (flags && prctl(PR_SET_DUMPABLE, 1) < 0)
		return -errno;
	if (all_users)
		return finish_mapper(&mapper);
	return flags & CLONE_NEWUSER ? map_self(uid, gid) : 0;
}

static int join(const struct namespaces *made, const char **step)
{
	*step = "namespaces made ahead";
	/* The user namespace first: it owns the other one. */
	if (made->user >= 0 && setns(made->user, CLONE_NEWUSER) < 0)
		return -errno;
	return made->network >= 0 && setns(made->network, CLONE_NEWNET) < 0 ? -errno : 0;
}

/* All or none: a network namespace belongs to the user namespace in which it was created. */
static bool fits(const struct namespaces *made, const struct options *options)
{
	return (made->user >= 0) == options->user_namespace && (made->network >= 0) == options->network_namespace &&
	       made->loopback == options->loopback;
}

static void close_namespaces(struct namespaces *made)
{
	if (made->user >= 0)
		close(made->user);
	if (made->network >= 0)
		close(made->network);
}

int enter_namespaces(const struct options *options, struct namespaces *made, const char **step)
{
	int own = (options->user_namespace ? CLONE_NEWUSER : 0) | (options->network_namespace ? CLONE_NEWNET : 0);
	bool joins = !options->all_users && fits(made, options);
	int error = joins ? join(made, step) : 0;

	close_namespaces(made);
	int always = (options->mounts ? CLONE_NEWNS | CLONE_NEWIPC : 0) | (options->own_processes ? CLONE_NEWPID : 0);
	if (!error)
		error = create(always | (joins ? 0 : own), options->all_users, step);
	if (error || joins || !options->loopback)
		return error;
	*step = "loopback interface";
	return raise_loopback();
}

static int read_names(char *const *names, struct options *wanted)
{
	for (; *names; names++) {
		if (strcmp(*names, "user") == 0)
			wanted->user_namespace = true;
		else if (strcmp(*names, "network") == 0)
			wanted->network_namespace = true;
		else if (strcmp(*names, "loopback") == 0)
			wanted->loopback = true;
		else
			return -EINVAL;
	}
	return 0;
}

static int keep(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int kept = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, ABOVE_ALL_PLACES);

	if (fd >= 0)
		close(fd);
	return kept;
}

/* In a separate process, which then ends: the launcher stays outside of the namespaces. The processes share the descriptor
 * table. It joins no mount namespace: a process that joins one is at its root, outside of a chroot(2) in which ion may have
 * been started. */
int make_namespaces(char *const *names, struct namespaces *made)
{
	struct options wanted = { 0 };
	const char *step;

	int error = read_names(names, &wanted);
	if (error || !(wanted.user_namespace || wanted.network_namespace))
		return error;
	struct namespaces *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 0;
	*shared = (struct namespaces)NO_NAMESPACES;
	long pid = syscall(__NR_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
	if (pid == 0) {
		if (enter_namespaces(&wanted, made, &step) == 0) {
			shared->user = wanted.user_namespace ? keep("/proc/self/ns/user") : -1;
			shared->network = wanted.network_namespace ? keep("/proc/self/ns/net") : -1;
			shared->loopback = wanted.loopback;
		}
		_exit(0);
	}
	if (pid > 0)
		waitpid((pid_t)pid, NULL, 0);
	*made = *shared;
	munmap(shared, sizeof(*shared));
	return 0;
}
