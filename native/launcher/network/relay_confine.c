#define _GNU_SOURCE
#include "network/relay_confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel_abi.h"

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#else
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#endif

#define BIT(capability) (1u << (capability))

/* As root it needs these for the run's namespace. As a user it owns the user namespace of that namespace, and needs none. */
static int keep_two_capabilities(void)
{
	const unsigned kept = BIT(CAP_NET_ADMIN) | BIT(CAP_NET_BIND_SERVICE);
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data) < 0)
		return -errno;
	data[0].permitted &= kept;
	data[0].effective = data[0].permitted;
	data[1].permitted = data[1].effective = 0;
	data[0].inheritable = data[1].inheritable = 0;
	return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

struct ruleset {
	uint64_t files, ports, scopes;
};

/* Forbids everything that this kernel's Landlock can forbid, without an exception: files, abstract sockets, signals. Ports are not
 * handled, because the relay connects to any port that a rule allows. */
static int forbid_files(void)
{
	/* The highest right of each ABI (include/uapi/linux/landlock.h). */
	static const unsigned bits[] = { 0, 13, 14, 15, 15, 16, 16, 16, 16 };
	long abi = syscall(__NR_landlock_create_ruleset, NULL, 0, 1u);

	if (abi <= 0)
		return 0; /* the filter has no call for files */
	const size_t known = sizeof(bits) / sizeof(bits[0]) - 1;
	const struct ruleset ruleset = { .files = (1ull << bits[(size_t)abi < known ? (size_t)abi : known]) - 1,
					 .scopes = abi >= 6 ? 3 : 0 };
	const size_t size = abi >= 6 ? sizeof(ruleset) : offsetof(struct ruleset, ports);
	int fd = (int)syscall(__NR_landlock_create_ruleset, &ruleset, size, 0);
	if (fd < 0)
		return -errno;
	int error = syscall(__NR_landlock_restrict_self, fd, 0) < 0 ? -errno : 0;
	close(fd);
	return error;
}

static const int allowed[] = {
	__NR_accept4,	    __NR_bind,	       __NR_close,     __NR_connect,	 __NR_dup,
	__NR_epoll_ctl,	    __NR_epoll_pwait,  __NR_exit,      __NR_exit_group,	 __NR_fcntl,
	__NR_futex,	    __NR_getrandom,    __NR_getsockname, __NR_getsockopt, __NR_listen,
	__NR_madvise,	    __NR_mmap,	       __NR_mremap,    __NR_munmap,	 __NR_pipe2,
	__NR_ppoll,	    __NR_recvfrom,     __NR_recvmsg,   __NR_rt_sigreturn, __NR_sendmsg,
	__NR_sendto,	    __NR_setsockopt,   __NR_shutdown,  __NR_splice,	 __NR_brk,
	__NR_clock_gettime, __NR_restart_syscall,
#ifdef __NR_epoll_wait
	__NR_epoll_wait,
#endif
#ifdef __NR_poll
	__NR_poll,
#endif
};
#define ALLOWED (sizeof(allowed) / sizeof(allowed[0]))
/* Before the list: architecture, number, socket(2). */
#define FIXED 14

#define DATA(field) ((unsigned)offsetof(struct seccomp_data, field))
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define IF(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(value), (yes), (no))

/* Internet sockets for streams and datagrams: no raw ones, no netlink. */
static int allow_few_calls(void)
{
	const struct sock_filter fixed[FIXED] = {
		LOAD(DATA(arch)),
		IF(NATIVE_ARCH, 1, 0),
		KILL,
		LOAD(DATA(nr)),
		IF(__NR_socket, 0, 9),
		LOAD(DATA(args[0])),
		IF(AF_INET, 2, 0),
		IF(AF_INET6, 1, 0),
		KILL,
		LOAD(DATA(args[1])),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, SOCK_DGRAM, 0, 1),
		KILL,
		ALLOW,
	};
	struct sock_filter code[FIXED + 2 * ALLOWED + 1];
	size_t length = 0;

	for (size_t i = 0; i < FIXED; i++)
		code[length++] = fixed[i];
	for (size_t i = 0; i < ALLOWED; i++) {
		code[length++] = (struct sock_filter)IF(allowed[i], 0, 1);
		code[length++] = (struct sock_filter)ALLOW;
	}
	code[length++] = (struct sock_filter)KILL;
	const struct sock_fprog program = { (unsigned short)length, code };
	return syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0 ? -errno : 0;
}

int confine_relay(void)
{
	const struct rlimit none = { 0, 0 };
	int error;

	(void)setrlimit(RLIMIT_CORE, &none);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	if ((error = keep_two_capabilities()) || (error = forbid_files()))
		return error;
	return allow_few_calls();
}
