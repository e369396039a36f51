/* Removes system calls, then runs a program. So a kernel that has features acts like one that lacks them.
 *
 * usage: deny-syscalls [--user UID:GID] [--caps HEX] RULE... -- program argument... RULE:  NUMBER:ERRNO                   the call
 * always fails
 *        NUMBER:ERRNO:ARG:any:MASK      when (argument & MASK) != 0
 *        NUMBER:ERRNO:ARG:is:VALUE      when the low half of the argument is VALUE
 *
 * As root the filter is installed without no_new_privs, before the change to UID, so that the program notices only the refusals.
 * Otherwise no_new_privs is set. --caps keeps only these in the bounding set and as root, as a container does. */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CODE_MAX 4096

static struct sock_filter code[CODE_MAX];
static unsigned short length;

static void die(const char *what)
{
	fprintf(stderr, "deny-syscalls: %s: %s\n", what, strerror(errno));
	exit(120);
}

static void emit(unsigned short op, unsigned char yes, unsigned char no, unsigned int value)
{
	if (length == CODE_MAX) {
		errno = E2BIG;
		die("rules");
	}
	code[length++] = (struct sock_filter){ op, yes, no, value };
}

static void rule(const char *text)
{
	unsigned int number, error, argument, value;
	char op[8] = "";
	int fields = sscanf(text, "%u:%u:%u:%7[a-z]:%u", &number, &error, &argument, op, &value);

	if (fields != 2 && fields != 5) {
		errno = EINVAL;
		die(text);
	}
	emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
	emit(BPF_JMP | BPF_JEQ | BPF_K, 0, fields == 2 ? 1 : 3, number);
	if (fields == 5) {
		emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args) + 8 * argument);
		if (strcmp(op, "any") == 0)
			emit(BPF_JMP | BPF_JSET | BPF_K, 0, 1, value);
		else
			emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value);
	}
	emit(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | (error & SECCOMP_RET_DATA));
}

static void keep_capabilities(unsigned long long kept)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];

	for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; capability++)
		if (!(kept >> capability & 1) && prctl(PR_CAPBSET_DROP, capability) < 0)
			die("bounding set");
	for (int i = 0; i < 2; i++) {
		data[i].permitted = data[i].effective = (unsigned int)(kept >> (32 * i));
		data[i].inheritable = 0;
	}
	if (syscall(SYS_capset, &header, data) < 0)
		die("capset");
}

static void install(void)
{
	struct sock_fprog program = { length, code };

	if (geteuid() != 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		die("no_new_privs");
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
		die("seccomp");
}

int main(int argc, char **argv)
{
	unsigned int uid = 0, gid = 0;
	unsigned long long kept = ~0ull;
	int at = 1;

	for (; at < argc && strcmp(argv[at], "--") != 0; at++) {
		if (strcmp(argv[at], "--user") == 0 && at + 1 < argc)
			sscanf(argv[++at], "%u:%u", &uid, &gid);
		else if (strcmp(argv[at], "--caps") == 0 && at + 1 < argc)
			kept = strtoull(argv[++at], NULL, 16);
		else
			rule(argv[at]);
	}
	if (at + 1 >= argc) {
		fputs("usage: deny-syscalls [--user UID:GID] [--caps HEX] RULE... -- program argument...\n", stderr);
		return 120;
	}
	emit(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
	install();
	if (geteuid() == 0 && ~kept != 0)
		keep_capabilities(kept);
	if (uid && (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0))
		die("user");
	execvp(argv[at + 1], argv + at + 1);
	die(argv[at + 1]);
}
