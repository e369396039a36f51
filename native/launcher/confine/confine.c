#define _GNU_SOURCE
#include "confine/confine.h"

#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel_abi.h"

#define BIT(capability) (1ull << (capability))

/* Left out are MKNOD (device nodes), DAC_READ_SEARCH (open_by_handle_at), SYS_PTRACE and PERFMON. With SYS_PTRACE or PERFMON a root
 * process under Landlock can still read the environment of processes outside. */
#define KEPT                                                                                       \
	(BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_FOWNER) | BIT(CAP_FSETID) | BIT(CAP_SETUID) | \
	 BIT(CAP_SETGID) | BIT(CAP_KILL))

static unsigned long long permitted_capabilities(struct __user_cap_data_struct data[2])
{
	return data[0].permitted | (unsigned long long)data[1].permitted << 32;
}

static int drop_bounding_set(unsigned long long kept)
{
	for (int capability = 0; capability < 64; capability++) {
		int held = prctl(PR_CAPBSET_READ, capability);

		if (held < 0) /* EINVAL: beyond the last one that this kernel knows */
			return 0;
		if (held && !(kept & BIT(capability)) && prctl(PR_CAPBSET_DROP, capability) < 0)
			return -errno;
	}
	return 0;
}

int drop_capabilities(bool user_namespace)
{
	const unsigned long long kept = user_namespace ? 0 : KEPT;
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data) < 0)
		return -errno;
	unsigned long long permitted = permitted_capabilities(data);
	if (permitted == 0 && getuid() != 0 && geteuid() != 0)
		return 0;

	int error = drop_bounding_set(kept);
	if (error)
		return error;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return -errno;
	permitted &= kept;
	for (int i = 0; i < 2; i++) {
		data[i].permitted = data[i].effective = (unsigned int)(permitted >> (32 * i));
		data[i].inheritable = 0;
	}
	return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

int drop_capability(int capability)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data) < 0)
		return -errno;
	data[CAP_TO_INDEX(capability)].effective &= ~CAP_TO_MASK(capability);
	data[CAP_TO_INDEX(capability)].permitted &= ~CAP_TO_MASK(capability);
	return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

static int set_limit(int resource, rlim_t soft, rlim_t hard)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) < 0)
		return -errno;
	/* Never raise: a lower hard limit of the task stays, for root too. */
	if (hard < limit.rlim_max)
		limit.rlim_max = hard;
	limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
	return setrlimit(resource, &limit) < 0 ? -errno : 0;
}

int set_limits(const struct limits *limits)
{
	const struct {
		int resource;
		uint64_t soft, hard;
	} table[] = {
		{ RLIMIT_FSIZE, limits->file_size, limits->file_size },
		/* The task can catch SIGXCPU at the soft limit, but not SIGKILL one second later. */
		{ RLIMIT_CPU, limits->cpu_seconds, limits->cpu_seconds + 1 },
		{ RLIMIT_NOFILE, limits->open_files_soft, RLIM_INFINITY },
		{ RLIMIT_NOFILE, limits->open_files, limits->open_files },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		int error = table[i].soft ? set_limit(table[i].resource, table[i].soft, table[i].hard) : 0;
		if (error)
			return error;
	}
	return 0;
}

int restrict_self(int ruleset_fd)
{
	return syscall(__NR_landlock_restrict_self, ruleset_fd, 0) < 0 ? -errno : 0;
}

static bool is_among(int fd, const int *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == fd)
			return true;
	return false;
}

/* Before Linux 5.9, or where a filter refuses close_range(2). */
static int close_one_by_one(const int *kept, size_t count)
{
	struct rlimit limit;

	if (unshare(CLONE_FILES) < 0 || getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return -errno;
	/* The soft limit may be lower than open descriptors: use the highest possible number. */
	rlim_t most = limit.rlim_max < 1u << 20 ? limit.rlim_max : 1u << 20;
	for (int fd = 3; (rlim_t)fd < most; fd++)
		if (!is_among(fd, kept, count))
			close(fd);
	return 0;
}

int close_descriptors_from(int first)
{
	if (syscall(__NR_close_range, first, ~0u, CLOSE_RANGE_UNSHARE) == 0)
		return 0;
	if (errno != ENOSYS && errno != EINVAL && errno != EPERM)
		return -errno;
	for (int fd = first; fd < 3; fd++)
		close(fd);
	return close_one_by_one(NULL, 0);
}

int close_descriptors(const int *kept, size_t count)
{
	unsigned from = 3;

	for (size_t i = 0; i <= count; i++) {
		const unsigned to = i < count ? (unsigned)kept[i] - 1 : ~0u;
		if (from <= to && syscall(__NR_close_range, from, to, CLOSE_RANGE_UNSHARE) < 0)
			return errno == ENOSYS || errno == EINVAL || errno == EPERM ? close_one_by_one(kept, count) : -errno;
		from = to + 2;
	}
	return 0;
}
