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

#include "base/kernel_abi.h"
#include "confine/pid_namespace.h"
#include "confine/user_map.h"
#include "options/standby.h"

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
	/* The user namespace comes first, because it owns the others. The PID namespace gets only the processes that start later. */
	const struct {
		int fd, kind;
	} table[] = {
		{ made->user, CLONE_NEWUSER },
		{ made->network, CLONE_NEWNET },
		{ made->ipc, CLONE_NEWIPC },
		{ made->processes, CLONE_NEWPID },
	};

	*step = "namespaces made ahead";
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].fd >= 0 && setns(table[i].fd, table[i].kind) < 0)
			return -errno;
	return 0;
}

static int own_kinds(const struct options *options)
{
	return (options->user_namespace ? CLONE_NEWUSER : 0) | (options->network_namespace ? CLONE_NEWNET : 0) |
	       (options->own_processes ? CLONE_NEWPID | CLONE_NEWIPC : 0);
}

static int made_kinds(const struct namespaces *made)
{
	return (made->user >= 0 ? CLONE_NEWUSER : 0) | (made->network >= 0 ? CLONE_NEWNET : 0) |
	       (made->processes >= 0 ? CLONE_NEWPID : 0) | (made->ipc >= 0 ? CLONE_NEWIPC : 0);
}

/* Uses all or none of them, because each belongs to the user namespace in which it was created. A process 1 that was started ahead
 * is not in the command's cgroup, which counts it (cgroup.h). */
static bool fits(const struct namespaces *made, const struct options *options)
{
	return made_kinds(made) == own_kinds(options) && made->loopback == options->loopback && !options->all_users &&
	       !(options->cgroup && made->first);
}

static void close_namespaces(struct namespaces *made)
{
	int *const list[] = { &made->user, &made->network, &made->processes, &made->ipc };

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		if (*list[i] >= 0)
			close(*list[i]);
		*list[i] = -1;
	}
}

void discard_namespaces(struct namespaces *made)
{
	close_namespaces(made);
	if (made->outside >= 0)
		close(made->outside);
	made->outside = -1;
	/* No other process has the number of a child that was not waited for. */
	if (made->first && kill(made->first, SIGKILL) == 0)
		(void)waitpid(made->first, NULL, 0);
	made->first = 0;
	made->loopback = false;
}

void keep_fitting_namespaces(const struct options *options, struct namespaces *made)
{
	/* No process starts in a namespace whose process 1 has ended. */
	bool ended = made->first && waitpid(made->first, NULL, WNOHANG) != 0;

	if (ended)
		made->first = 0;
	if (ended || !fits(made, options))
		discard_namespaces(made);
}

int enter_namespaces(const struct options *options, struct namespaces *made, const char **step)
{
	const int ahead = made_kinds(made);
	int error = join(made, step);

	close_namespaces(made);
	if (!error)
		error = create((own_kinds(options) | (options->mounts ? CLONE_NEWNS | CLONE_NEWIPC : 0)) & ~ahead,
			       options->all_users, step);
	if (error || ahead & CLONE_NEWNET || !options->loopback)
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
		else if (strcmp(*names, "processes") == 0)
			wanted->own_processes = true;
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

/* Called in the process that has entered them. */
static int keep_all(const struct options *wanted, int launcher, struct namespaces *kept)
{
	*kept = (struct namespaces)NO_NAMESPACES;
	/* Before its namespace has a process 1, no other process can enter it. */
	pid_t first = wanted->own_processes ? start_first(launcher) : 0;
	if (first < 0)
		return first;
	kept->first = first;
	kept->user = wanted->user_namespace ? keep("/proc/self/ns/user") : -1;
	kept->network = wanted->network_namespace ? keep("/proc/self/ns/net") : -1;
	kept->processes = wanted->own_processes ? keep("/proc/self/ns/pid_for_children") : -1;
	kept->ipc = wanted->own_processes ? keep("/proc/self/ns/ipc") : -1;
	kept->outside = wanted->own_processes && !wanted->user_namespace ? keep("/proc/self/ns/pid") : -1;
	kept->loopback = wanted->loopback;
	return 0;
}

/* A separate process does this, and then ends: the launcher stays outside of the namespaces. The processes share the descriptor
 * table. It makes no mount namespace, because its mounts would be those of an earlier time. A process that joins one also starts at
 * its root, outside of a chroot(2) in which ion may have been started. */
int make_namespaces(char *const *names, struct namespaces *made)
{
	struct options wanted = { 0 };
	const char *step;

	int error = read_names(names, &wanted);
	if (error || !own_kinds(&wanted))
		return error;
	struct namespaces *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int launcher = (int)syscall(__NR_pidfd_open, getpid(), 0);
	if (shared == MAP_FAILED || launcher < 0)
		return 0;
	*shared = (struct namespaces)NO_NAMESPACES;
	long pid = syscall(__NR_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
	if (pid == 0)
		_exit(enter_namespaces(&wanted, made, &step) || keep_all(&wanted, launcher, shared));
	if (pid > 0)
		waitpid((pid_t)pid, NULL, 0);
	close(launcher);
	*made = *shared;
	munmap(shared, sizeof(*shared));
	if (made_kinds(made) != own_kinds(&wanted))
		discard_namespaces(made);
	return 0;
}
