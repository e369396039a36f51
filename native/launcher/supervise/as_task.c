#define _GNU_SOURCE
#include "supervise/as_task.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BIT(capability) (1ull << (capability))
#define OF_FILES                                                                                                       \
	(BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_FOWNER) | BIT(CAP_FSETID) | BIT(CAP_SETUID) | BIT(CAP_SETGID))
#define STATUS_MAX 8192
#define KEEP ((uid_t)-1)

static const char *field(const char *status, const char *name)
{
	const char *line = strstr(status, name);

	return line ? line + strlen(name) : NULL;
}

/* "Uid:	real	effective	saved	file system" (proc_pid_status(5)). */
static bool read_ids(const char *line, uid_t *effective, uid_t *of_files)
{
	return line && sscanf(line, "%*u %u %*u %u", effective, of_files) == 2;
}

static bool read_groups(const char *line, struct identity *identity)
{
	char *end;

	if (!line)
		return false;
	for (;;) {
		line += strspn(line, " \t");
		if (*line == '\n' || *line == '\0')
			return true;
		if (identity->group_count == GROUPS_MAX)
			return false;
		identity->groups[identity->group_count++] = (gid_t)strtoul(line, &end, 10);
		if (end == line)
			return false;
		line = end;
	}
}

int read_identity(pid_t tid, struct identity *identity)
{
	char path[64], text[STATUS_MAX];
	ssize_t length = 0, count;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (length < STATUS_MAX - 1 && (count = read(fd, text + length, (size_t)(STATUS_MAX - 1 - length))) > 0)
		length += count;
	close(fd);
	text[length] = '\0';
	memset(identity, 0, sizeof(*identity));
	const char *capabilities = field(text, "\nCapEff:");
	if (!read_ids(field(text, "\nUid:"), &identity->user, &identity->file_user) ||
	    !read_ids(field(text, "\nGid:"), &identity->group, &identity->file_group) ||
	    !read_groups(field(text, "\nGroups:"), identity) || !capabilities)
		return -EIO;
	identity->capabilities = strtoull(capabilities, NULL, 16);
	return 0;
}

static bool has_groups(const struct identity *identity)
{
	gid_t own[GROUPS_MAX];
	int count = getgroups(GROUPS_MAX, own);

	return count >= 0 && (size_t)count == identity->group_count &&
	       memcmp(own, identity->groups, (size_t)count * sizeof(*own)) == 0;
}

static uint64_t own_capabilities(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	(void)syscall(SYS_capget, &header, data);
	return data[0].effective | (uint64_t)data[1].effective << 32;
}

bool is_own_identity(const struct identity *identity)
{
	return identity->user == geteuid() && identity->file_user == geteuid() && identity->group == getegid() &&
	       identity->file_group == getegid() && has_groups(identity) &&
	       (own_capabilities() & OF_FILES & ~identity->capabilities) == 0;
}

static int set_effective(uint64_t capabilities)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data) < 0)
		return -errno;
	data[0].effective = data[0].permitted & (uint32_t)capabilities;
	data[1].effective = data[1].permitted & (uint32_t)(capabilities >> 32);
	return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

/* Plain system calls: the C library's functions would change all threads. */
int assume_identity(const struct identity *identity)
{
	if (syscall(__NR_setgroups, identity->group_count, identity->groups) < 0 ||
	    syscall(__NR_setresgid, KEEP, identity->group, KEEP) < 0 || syscall(__NR_setresuid, KEEP, identity->user, KEEP) < 0)
		return -errno;
	(void)syscall(__NR_setfsgid, identity->file_group);
	(void)syscall(__NR_setfsuid, identity->file_user);
	/* The call returns the current id, because -1 is never accepted. */
	if ((gid_t)syscall(__NR_setfsgid, KEEP) != identity->file_group ||
	    (uid_t)syscall(__NR_setfsuid, KEEP) != identity->file_user)
		return -EPERM;
	/* A change of ids can make a process dumpable again (/proc/sys/fs/suid_dumpable). */
	(void)prctl(PR_SET_DUMPABLE, 0);
	return set_effective(identity->capabilities);
}

struct call_as_task {
	const struct identity *identity;
	int (*act)(void *argument);
	void *argument;
	int result;
};

static void *act_as_other(void *argument)
{
	struct call_as_task *blocking = argument;

	blocking->result = assume_identity(blocking->identity) ? -EACCES : blocking->act(blocking->argument);
	return NULL;
}

int as_task(const struct call *call, int (*act)(void *argument), void *argument)
{
	struct identity identity;
	struct call_as_task blocking = { &identity, act, argument, -EACCES };
	pthread_t thread;

	if (read_identity(call->task.pid, &identity) || !still_waits(call))
		return -EACCES;
	if (is_own_identity(&identity))
		return act(argument);
	if (pthread_create(&thread, NULL, act_as_other, &blocking))
		return -EACCES;
	pthread_join(thread, NULL);
	return blocking.result;
}

struct socket_call {
	int socket, backlog;
	const struct sockaddr *address;
	socklen_t length;
};

static int bind_socket(void *argument)
{
	const struct socket_call *wanted = argument;

	return bind(wanted->socket, wanted->address, wanted->length) < 0 ? -errno : 0;
}

int bind_as_task(const struct call *call, int socket, const struct sockaddr *address, socklen_t length)
{
	struct socket_call wanted = { socket, 0, address, length };

	return as_task(call, bind_socket, &wanted);
}

static int listen_socket(void *argument)
{
	const struct socket_call *wanted = argument;

	return listen(wanted->socket, wanted->backlog) < 0 ? -errno : 0;
}

int listen_as_task(const struct call *call, int socket, int backlog)
{
	struct socket_call wanted = { .socket = socket, .backlog = backlog };

	return as_task(call, listen_socket, &wanted);
}

struct reach {
	int root, folder, target;
	const char *path, *name;
};

static bool leads_to(int folder, const char *path, uint64_t resolve, int target)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = resolve };
	int fd = (int)syscall(__NR_openat2, folder, path, &how, sizeof(how));
	struct stat found, wanted;
	bool same = fd >= 0 && fstat(fd, &found) == 0 && fstat(target, &wanted) == 0 && found.st_dev == wanted.st_dev &&
		    found.st_ino == wanted.st_ino;

	if (fd >= 0)
		close(fd);
	return same;
}

static int reach(void *argument)
{
	const struct reach *wanted = argument;

	if (leads_to(wanted->root, wanted->path, RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS, wanted->target))
		return 0;
	/* The task may no longer be allowed to enter its current folder. */
	bool relative = wanted->folder >= 0 && *wanted->name != '/';
	return relative && leads_to(wanted->folder, wanted->name, RESOLVE_NO_MAGICLINKS, wanted->target) ? 0 : -EACCES;
}

int reach_as_task(const struct call *call, const char *path, const char *name, int target)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/%d/cwd", call->task.pid);
	int folder = open(link, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct reach wanted = { call->task.root, folder, target, path, name };
	int result = as_task(call, reach, &wanted);
	if (folder >= 0)
		close(folder);
	return result;
}
