/* Starts a program as a shell would, on a terminal of its own or without one, kills it or its launcher at a given time, and waits
 * for everything that it has started. Orphans come to this process, whatever session they have made, so none is overlooked.
 *
 * usage: kill-run VICTIM SINCE MICROSECONDS LIMIT_MS STREAMS program argument...
 * VICTIM: ion, launcher (each that ion starts), both, or group (all of ion's process group). SINCE: start or launcher, from which the time counts.
 * STREAMS: terminal or pipe.
 * Prints one line: whether there was a launcher; the processes that were left after LIMIT_MS, which are ended then; whether the
 * terminal is as before. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define PROCESSES_MAX 65536
#define GIVE_UP_MS 10000
#define LAUNCHER_MS 5000

static void fail(const char *what)
{
	perror(what);
	exit(125);
}

static long now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void pause_us(long us)
{
	nanosleep(&(struct timespec){ us / 1000000, us % 1000000 * 1000 }, NULL);
}

struct process {
	pid_t pid, parent;
	char state, name[20];
};

static bool read_process(const char *entry, struct process *found)
{
	char path[64], text[512];

	found->pid = atoi(entry);
	snprintf(path, sizeof(path), "/proc/%d/stat", found->pid);
	int fd = found->pid > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return false;
	ssize_t length = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[length > 0 ? length : 0] = '\0';
	const char *name = strchr(text, '('), *end = strrchr(text, ')');
	if (!name || !end)
		return false;
	snprintf(found->name, sizeof(found->name), "%.*s", (int)(end - name - 1), name + 1);
	return sscanf(end + 1, " %c %d", &found->state, &found->parent) == 2;
}

static struct process all[PROCESSES_MAX];

static size_t read_all(void)
{
	DIR *folder = opendir("/proc");
	size_t count = 0;

	if (!folder)
		fail("/proc");
	for (struct dirent *entry; (entry = readdir(folder)) && count < PROCESSES_MAX;)
		count += read_process(entry->d_name, &all[count]);
	closedir(folder);
	return count;
}

static bool descends(size_t count, const struct process *one, pid_t ancestor)
{
	pid_t at = one->parent;

	for (int depth = 0; at > 1 && depth < 1000; depth++) {
		size_t i = 0;
		if (at == ancestor)
			return true;
		while (i < count && all[i].pid != at)
			i++;
		at = i < count ? all[i].parent : 0;
	}
	return false;
}

/* Other children of ion are programs that it asks something. */
static pid_t find_launcher(pid_t ion)
{
	const size_t count = read_all();

	for (size_t i = 0; i < count; i++)
		if (all[i].parent == ion && strcmp(all[i].name, "ion-launcher") == 0)
			return all[i].pid;
	return 0;
}

static void await_launcher(pid_t ion)
{
	const long until = now_us() + LAUNCHER_MS * 1000L;

	while (!find_launcher(ion) && now_us() < until)
		pause_us(200);
}

static struct {
	const char *victim;
	pid_t ion;
	bool ended;
} run;

static bool is_victim(const char *name)
{
	return strcmp(run.victim, name) == 0;
}

/* ion is not reaped yet, so its number is its own. So is the launcher's while ion is stopped and cannot reap it. */
static bool strike(void)
{
	kill(run.ion, SIGSTOP);
	const pid_t launcher = find_launcher(run.ion);
	if (launcher && !is_victim("ion"))
		kill(launcher, SIGKILL);
	if (!is_victim("launcher"))
		kill(is_victim("group") ? -run.ion : run.ion, SIGKILL);
	kill(run.ion, SIGCONT);
	return launcher != 0;
}

/* What the program writes, so that it never waits. */
static void drain(int from)
{
	char text[4096];
	ssize_t length;

	while ((length = read(from, text, sizeof(text))) > 0)
		(void)!write(STDERR_FILENO, text, (size_t)length);
}

/* Returns true when no child is left, and so no descendant. */
static bool reap_all(int output, long limit_ms)
{
	const long until = now_us() + limit_ms * 1000;

	for (;;) {
		drain(output);
		const pid_t pid = waitpid(-1, NULL, WNOHANG | __WALL);
		if (pid < 0 && errno == ECHILD)
			return true;
		run.ended = run.ended || pid == run.ion;
		/* ion starts another if the one that waits for the command was killed. */
		if (pid == 0 && is_victim("launcher") && !run.ended)
			(void)strike();
		if (pid <= 0 && now_us() > until + (run.ended ? 0 : GIVE_UP_MS * 1000L))
			return false;
		if (pid == 0)
			pause_us(500);
	}
}

static void end_left(int output)
{
	const long until = now_us() + GIVE_UP_MS * 1000L;

	do {
		const size_t count = read_all();
		for (size_t i = 0; i < count; i++)
			if (descends(count, &all[i], getpid()))
				kill(all[i].pid, SIGKILL);
	} while (!reap_all(output, 20) && now_us() < until);
}

static int open_terminal(int *master)
{
	*master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*master < 0 || grantpt(*master) < 0 || unlockpt(*master) < 0)
		fail("terminal");
	if (setsid() < 0)
		fail("setsid");
	const int slave = open(ptsname(*master), O_RDWR | O_CLOEXEC);
	if (slave < 0 || ioctl(slave, TIOCSCTTY, 0) < 0)
		fail("controlling terminal");
	return slave;
}

static pid_t start(int terminal, const int *stream, char **argv)
{
	const pid_t child = fork();

	if (child < 0)
		fail("fork");
	if (child > 0) {
		setpgid(child, child);
		return child;
	}
	setpgid(0, 0);
	if (terminal >= 0)
		tcsetpgrp(terminal, getpid());
	signal(SIGTTOU, SIG_DFL);
	for (int fd = 0; fd <= 2; fd++)
		dup2(stream[fd], fd);
	execvp(argv[0], argv);
	fail(argv[0]);
	return -1;
}

int main(int argc, char **argv)
{
	if (argc < 7)
		return 125;
	const long us = atol(argv[3]), limit_ms = atol(argv[4]);
	const bool on_terminal = strcmp(argv[5], "terminal") == 0;
	int ends[2], terminal = -1, master = -1;
	struct termios before, after;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 || pipe2(ends, O_CLOEXEC) < 0)
		fail("prepare");
	signal(SIGTTOU, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (on_terminal && ((terminal = open_terminal(&master)) < 0 || tcgetattr(terminal, &before) < 0))
		fail("terminal");
	const int empty = open("/dev/null", O_RDONLY | O_CLOEXEC), output = on_terminal ? master : ends[0];
	const int on[] = { terminal, terminal, terminal }, off[] = { empty, ends[1], ends[1] };
	fcntl(output, F_SETFL, O_NONBLOCK);
	run.victim = argv[1];
	run.ion = start(terminal, on_terminal ? on : off, argv + 6);
	if (strcmp(argv[2], "launcher") == 0)
		await_launcher(run.ion);
	pause_us(us);
	const bool launched = strike();
	const bool ended = reap_all(output, limit_ms);
	char left[1024] = "";
	const size_t count = ended ? 0 : read_all();
	for (size_t i = 0; i < count; i++)
		if (descends(count, &all[i], getpid()) && all[i].state != 'Z' && strlen(left) < 900)
			sprintf(left + strlen(left), " %s(%d)", all[i].name, all[i].pid);
	const char *state = "none";
	if (on_terminal) {
		if (tcgetattr(terminal, &after) < 0)
			fail("terminal");
		state = memcmp(&before, &after, sizeof(before)) == 0 ? "same" : "changed";
		if (tcgetpgrp(terminal) != run.ion)
			state = "another foreground";
	}
	if (!ended)
		end_left(output);
	printf("launcher: %s; left:%s; terminal: %s\n", launched ? "yes" : "no", left, state);
	return 0;
}
