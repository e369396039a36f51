/* Runs a program behind a seccomp listener that is notified of the calls that create files, as ion's is, and allows each
 * without a check. This measures the minimum cost of any supervisor with a listener. Needs Linux 5.19.
 *
 * usage: bare-listener program argument... */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
#define SYNC_WAKE_UP 1UL

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(action) BPF_STMT(BPF_RET | BPF_K, action)
#define ASK(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), ANSWER(SECCOMP_RET_USER_NOTIF)
#define ASK_TO_WRITE(number, flags)                                                                              \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4), LOAD(args[flags]),                                    \
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0, 1),               \
		ANSWER(SECCOMP_RET_USER_NOTIF), ANSWER(SECCOMP_RET_ALLOW)

static struct sock_filter code[] = {
	LOAD(nr),
	ASK_TO_WRITE(__NR_openat, 2),
	ASK(__NR_mkdirat),
	ASK(__NR_linkat),
	ASK(__NR_symlinkat),
	ASK(__NR_renameat2),
#ifdef __NR_open
	ASK_TO_WRITE(__NR_open, 1),
	ASK(__NR_mkdir),
	ASK(__NR_link),
	ASK(__NR_symlink),
	ASK(__NR_rename),
#endif
	ANSWER(SECCOMP_RET_ALLOW),
};

static void die(const char *what)
{
	fprintf(stderr, "bare-listener: %s: %s\n", what, strerror(errno));
	_exit(120);
}

/* The child shares the descriptors until it has reported the number of its listener. */
static void start(int tell, char **argv)
{
	const struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };
	unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		die("no_new_privs");
	int listener = (int)syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
	int error = errno;
	if (write(tell, &listener, sizeof(listener)) != sizeof(listener) || unshare(CLONE_FILES) < 0)
		die("hand over");
	errno = error;
	if (listener < 0)
		die("seccomp");
	close(listener);
	execvp(argv[0], argv);
	die(argv[0]);
}

/* Never returns: it is killed when the program has ended. */
static void answer_all(int listener)
{
	(void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SYNC_WAKE_UP); /* before Linux 6.6: only slower */
	for (;;) {
		struct seccomp_notif question = { 0 };
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &question) < 0)
			continue;
		struct seccomp_notif_resp response = { .id = question.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };
		(void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
	}
}

int main(int argc, char **argv)
{
	int ends[2], listener, status;

	if (argc < 2 || pipe2(ends, O_CLOEXEC) < 0)
		return 120;
	pid_t program = (pid_t)syscall(__NR_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
	if (program == 0)
		start(ends[1], argv + 1);
	if (program < 0 || read(ends[0], &listener, sizeof(listener)) != sizeof(listener) || listener < 0)
		return 120;
	pid_t supervisor = fork();
	if (supervisor == 0)
		answer_all(listener);
	if (supervisor < 0 || waitpid(program, &status, 0) < 0)
		return 120;
	kill(supervisor, SIGKILL);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
