/* A file system that takes every request and never answers, like a network server that is gone.
 *
 * usage: silent-fuse UID:GID MOUNTPOINT program argument...
 *
 * Runs the program as that user, in a mount namespace in which MOUNTPOINT is that file system, and ends as it does. Every waiting
 * request then ends with an error, so nothing hangs for longer than this program. Only the mount point itself can be looked at.
 * Needs root. Ends after a minute in any case. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static void reply(int device, __u64 unique, const void *body, size_t size)
{
	char answer[512];
	struct fuse_out_header header = { (__u32)(sizeof(header) + size), 0, unique };

	memcpy(answer, &header, sizeof(header));
	memcpy(answer + sizeof(header), body, size);
	if (write(device, answer, header.len) < 0)
		perror("reply");
}

static void *serve(void *argument)
{
	static char request[1 << 20];
	int device = *(int *)argument;

	for (;;) {
		ssize_t length = read(device, request, sizeof(request));
		if (length < 0 && errno != EINTR && errno != ENOENT && errno != EAGAIN)
			return NULL;
		const struct fuse_in_header *header = (const struct fuse_in_header *)request;
		if (length >= (ssize_t)sizeof(*header) && header->opcode == FUSE_INIT) {
			struct fuse_init_out answer = { .major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 4096 };
			reply(device, header->unique, &answer, sizeof(answer));
		} else if (length >= (ssize_t)sizeof(*header) && header->opcode == FUSE_GETATTR && header->nodeid == 1) {
			struct fuse_attr_out answer = { .attr_valid = 3600, .attr = { .ino = 1, .mode = S_IFDIR | 0777, .nlink = 2 } };
			reply(device, header->unique, &answer, sizeof(answer));
		} else if (length >= (ssize_t)sizeof(*header) && header->opcode == FUSE_GETXATTR) {
			struct fuse_out_header none = { sizeof(none), -ENOSYS, header->unique };
			if (write(device, &none, sizeof(none)) < 0)
				perror("reply");
		}
	}
}

static void become(const char *user)
{
	unsigned uid, gid;

	if (sscanf(user, "%u:%u", &uid, &gid) != 2 || setgroups(0, NULL) < 0 || setgid(gid) < 0 || setuid(uid) < 0)
		die("user");
}

int main(int argc, char **argv)
{
	char options[128];
	pthread_t thread;
	int status;

	if (argc < 4)
		return 125;
	int device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (device < 0)
		die("/dev/fuse");
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		die("mount namespace");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", device);
	if (mount("silent", argv[2], "fuse.silent", 0, options) < 0)
		die("mount");
	pid_t child = fork();
	if (child == 0) {
		become(argv[1]);
		execvp(argv[3], argv + 3);
		die(argv[3]);
	}
	if (pthread_create(&thread, NULL, serve, &device))
		die("thread");
	alarm(60);
	/* This program ignores signals of the test, which are for the other program: both are in one group, or the test sends it to
	 * that one. */
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			die("wait");
	/* A process that still waits would prevent the end of this one. It gets an error instead. */
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}
