/* ion's launcher: one per command. Confines a child, becomes its supervisor, and reports.
 *
 * Descriptors, as ion passes them: 3 options, 4 control (socket: events out; its end of file means ion is gone),
 * 5 Landlock ruleset. Exit status: 0 once something was reported, 125 if not even that was possible. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "confine/confine.h"
#include "confine/given_streams.h"
#include "confine/handed_streams.h"
#include "confine/inside.h"
#include "confine/jobserver.h"
#include "network/start_relay.h"
#include "options/options.h"
#include "options/standby.h"
#include "report/report.h"
#include "supervise/supervise.h"
#include "supervise/terminal.h"
#include "tree/first_process.h"
#include "tree/kill_tree.h"

#define KILL_LIMIT_MS 10000

enum { OPTIONS_FD = 3, CONTROL_FD = 4, RULESET_FD = 5 };

static char *read_options_file(int fd, size_t *size)
{
	struct stat info;

	if (fstat(fd, &info) < 0 || info.st_size <= 0 || info.st_size > OPTIONS_MAX_BYTES)
		return NULL;
	*size = (size_t)info.st_size;
	/* Private and writable: another holder of the file cannot change it during the parsing. */
	char *text = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	return text == MAP_FAILED ? NULL : text;
}

static struct launch launch = {
	.ruleset = RULESET_FD, .self = -1, .namespaces = NO_NAMESPACES, .cgroup = NO_CGROUP, .relay = NO_RELAY
};

static int fail(const char *step, int error, const char *detail)
{
	discard_namespaces(&launch.namespaces);
	report_failed(CONTROL_FD, step, -error, detail);
	report_drain(CONTROL_FD, 30000);
	return 0;
}

/* The first process and the command may have been started. */
static int fail_to_start(int setup, int error)
{
	struct setup_message message;

	begin_tree(launch.processes->first);
	(void)kill_tree(KILL_LIMIT_MS);
	restore_terminal(&launch.terminal, false);
	remove_cgroup(&launch.cgroup);
	if (read(setup, &message, sizeof(message)) == (ssize_t)sizeof(message) && message.error)
		return fail(message.step, -message.error, message.detail);
	return fail("fork", error, NULL);
}

/* A launcher that waits for its command has every signal blocked until here (addon/spawn.h). The command must not inherit that. */
static int prepare(bool waits)
{
	sigset_t supervised;

	/* No process of the same user may read or trace the supervisor. */
	if (prctl(PR_SET_DUMPABLE, 0) < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		return -errno;
	supervised_signals(&supervised);
	if (sigprocmask(waits ? SIG_SETMASK : SIG_BLOCK, &supervised, &launch.original_mask) < 0)
		return -errno;
	return waits ? sigemptyset(&launch.original_mask) : 0;
}

int main(int argc, char **argv)
{
	const char *bad;
	size_t size;
	int pipe_ends[2];

	if (argc == 2 && strcmp(argv[1], "--version") == 0)
		return puts("ion-launcher, options version " OPTIONS_VERSION) < 0;
	/* ion uses this to look at a path: it must not wait itself for a file system that never answers (probe-path.ts). */
	if (argc == 3 && strcmp(argv[1], "--look") == 0)
		return statx(AT_FDCWD, argv[2], AT_SYMLINK_NOFOLLOW, STATX_ALL, &(struct statx){ 0 }) == 0 ? 2 : 1;
	bool waits = argc >= 2 && strcmp(argv[1], "--wait") == 0;
	if (fcntl(CONTROL_FD, F_GETFD) < 0 || fcntl(OPTIONS_FD, F_GETFD) < 0) {
		fputs("ion: this launcher is started by ion, not by hand\n", stderr);
		return 125;
	}
	launch.ion = getppid();
	launch.launcher = getpid();
	int error = prepare(waits);
	if (error)
		return fail("prepare", error, NULL);
	if (waits && (error = make_namespaces(argv + 2, &launch.namespaces)))
		return fail("namespaces ahead", error, NULL);
	if (waits && (error = wait_for_command(CONTROL_FD, RULESET_FD, JOBSERVER_WRITES_FD)) == -ECONNRESET) {
		discard_namespaces(&launch.namespaces);
		return 0;
	}
	if (error)
		return fail("take descriptors", error, NULL);
	char *text = read_options_file(OPTIONS_FD, &size);
	if (!text)
		return fail("read options", -EIO, NULL);
	error = parse_options(text, size, &launch.options, &bad);
	if (error)
		return fail("parse options", error, bad);
	if (launch.options.inside && (error = choose_nonce(&launch.options)))
		return fail("choose a number", error, NULL);
	if (chdir(launch.options.cwd) < 0)
		return fail("working directory", -errno, launch.options.cwd);
	/* Ports below 1024: a port is bound for the command only if the command itself could bind it. */
	if (launch.options.network == NETWORK_LOOPBACK && (error = drop_capability(CAP_NET_BIND_SERVICE)))
		return fail("capabilities", error, NULL);
	int streams[STREAMS] = { -1, -1, -1 };
	const char *stream = NULL;
	if (launch.options.confine && (error = prepare_streams(&launch.options, streams, &stream)))
		return fail("standard streams", error, stream);
	int unknown = remember_given(&launch.options);
	if (launch.options.confine && unknown >= 0)
		return fail("appended file", -ESTALE, stream_name(unknown));
	if (pipe2(pipe_ends, O_CLOEXEC) < 0)
		return fail("pipe", -errno, NULL);
	fcntl(pipe_ends[0], F_SETFL, O_NONBLOCK);
	launch.setup = pipe_ends[1];

	if (launch.options.cgroup && (error = make_cgroup(&launch.options, &launch.cgroup)))
		return fail("cgroup", error, NULL);

	/* Before the child: both share the launcher's descriptors until each has its own. */
	const char *entry = NULL;
	if (launch.options.relay && (error = start_relay(&launch.options, &launch.relay, &entry)))
		return fail("relay", error, entry);
	struct supervision run = { .options = &launch.options,
				   .control = CONTROL_FD,
				   .setup = pipe_ends[0],
				   .ion = launch.ion,
				   .streams = { streams[0], streams[1], streams[2] },
				   .cgroup = launch.cgroup,
				   .relay = &launch.relay };
	sigpending(&run.early);
	remember_terminal(&launch.terminal); /* before the command takes the foreground */
	run.terminal = launch.terminal;
	if ((error = start(&launch))) {
		end_relay(&launch.relay);
		return fail_to_start(pipe_ends[0], error);
	}
	run.command = launch.processes->command;
	begin_tree(launch.processes->first);
	return supervise(&run, pipe_ends[1]) < 0 ? 125 : 0;
}
