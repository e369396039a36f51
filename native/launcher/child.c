/* What the child does until execve. */
#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "answer/exec/denials.h"
#include "answer/files/kept_mounts.h"
#include "answer/net/listeners.h"
#include "answer/net/unix_owner.h"
#include "base/kernel_abi.h"
#include "confine/confine.h"
#include "confine/devices.h"
#include "confine/given_streams.h"
#include "confine/job.h"
#include "confine/jobserver.h"
#include "confine/mounts.h"
#include "supervise/supervise.h"

static void say(const struct launch *launch, const struct setup_message *message)
{
	if (write(launch->setup, message, sizeof(*message)) != (ssize_t)sizeof(*message))
		_exit(125);
}

static void give_up_at(const struct launch *launch, const char *step, int error, const char *detail)
	__attribute__((noreturn));
static void give_up_at(const struct launch *launch, const char *step, int error, const char *detail)
{
	struct setup_message message = { -error, -1, -1, NO_KEPT_MOUNTS, { -1, -1, -1 }, "", "" };

	strncpy(message.step, step, sizeof(message.step) - 1);
	strncpy(message.detail, detail, sizeof(message.detail) - 1);
	say(launch, &message);
	_exit(125);
}

static void give_up(const struct launch *launch, const char *step, int error) __attribute__((noreturn));
static void give_up(const struct launch *launch, const char *step, int error)
{
	give_up_at(launch, step, error, "");
}

/* Node leaves SIGPIPE ignored, and this launcher blocks the signals that it handles by descriptor. A command starts with
 * neither. */
static void reset_signals(const struct launch *launch)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };

	for (int number = 1; number < NSIG; number++)
		sigaction(number, &standard, NULL); /* SIGKILL and SIGSTOP refuse: they have no other */
	sigprocmask(SIG_SETMASK, &launch->original_mask, NULL);
}

static void give_up_privileges(const struct launch *launch)
{
	int error = drop_capabilities(launch->options.user_namespace && !launch->options.all_users);

	if (error)
		give_up(launch, "capabilities", error);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		give_up(launch, "no_new_privs", -errno);
}

/* A folder as a standard stream would bypass the mounts: below /proc/self/fd/0 is the tree as it is outside, writable and
 * without pins. */
static void refuse_folders(const struct launch *launch)
{
	struct stat info;

	for (int fd = 0; fd <= 2; fd++)
		if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode))
			give_up(launch, "standard streams", -EISDIR);
}

static void meet_relay_or_give_up(const struct launch *launch)
{
	const char *what = NULL;
	int error = meet_relay(&launch->options, &launch->relay, &what);

	if (error)
		give_up(launch, what, error);
}

static void set_up_namespaces(struct launch *launch)
{
	const struct options *options = &launch->options;
	const char *what = NULL;
	int error = enter_namespaces(options, &launch->namespaces, &what);

	if (error)
		give_up(launch, what, error);
	if (options->relay)
		meet_relay_or_give_up(launch);
	if (options->own_processes && !launch->started_inside && (error = become_command(launch->processes, launch->self)))
		give_up(launch, "first process", error);
	if (options->mounts && (error = arrange_mounts(options, &what)))
		give_up_at(launch, "mounts", error, what);
	if (options->mounts && options->own_devices && (error = arrange_devices(options, &what)))
		give_up_at(launch, "devices", error, what);
	if (options->mounts && options->own_devices && options->landlock && (error = grant_devices(options, launch->ruleset)))
		give_up(launch, "rules for devices", error);
	if (options->own_processes && options->landlock && (error = grant_own_proc(options, launch->ruleset)))
		give_up(launch, "rules for /proc", error);
}

/* Returns the listener's descriptor, or -1. */
static int filter_calls(struct launch *launch)
{
	const struct options *options = &launch->options;
	const struct filter_input input = {
		.network = options->network,
		.unix_closed = options->unix_closed,
		.listener = options->listener,
		.scoped = options->scoped,
		.given = ways_given(),
		.binds = (options->network_namespace && !options->loopback) || options->closed_servers ||
			 options->network == NETWORK_LOOPBACK,
		.no_multipath = options->relay,
		.executions = has_denials(options) || options->programs[0] || options->report_execs || options->report == REPORT_ALL,
		.rechecks = has_denials(options) || options->programs[0],
		.closed = options->executable[0],
		.denied = options->denied[0],
		.script = options->script,
		.listed_devices = options->listed_devices,
		.own_processes = options->own_processes,
		.one_user = options->user_namespace && !options->all_users,
		.report = options->report,
		.ion = launch->ion,
		.launcher = launch->launcher,
	};
	int error = build_filter(&input, &launch->filter);

	if (!error)
		error = install_filter(&launch->filter, options->listener);
	if (error < 0)
		give_up(launch, "seccomp filter", error);
	return options->listener ? error : -1;
}

int confine_and_execute(struct launch *launch)
{
	const struct options *options = &launch->options;
	struct setup_message ready = { 0, -1, -1, NO_KEPT_MOUNTS, { -1, -1, -1 }, "", "" };
	int handed_over = 0;
	int error;

	if (launch->joins && (error = join_cgroup(&launch->cgroup)))
		give_up(launch, "cgroup", error);
	refuse_folders(launch);
	bool kept = options->mounts && options->listener && options->report == REPORT_DENIALS;
	if (kept)
		expect_moves(options, &ready.kept);
	set_up_namespaces(launch);
	if (options->mounts)
		handed_over = reopen_streams(options, ready.streams);
	if (handed_over < 0)
		give_up_at(launch, "given file", handed_over, "");
	/* An inherited stream is on a mount outside. */
	if (kept && !handed_over)
		expect_removals(&ready.kept);
	/* The socket is in the run's own network namespace, and the launcher is not. Without it only the run's own sockets are
	 * unknown. */
	if (options->listener && (ready.diag = open_socket_diagnosis()) < 0)
		ready.diag = -1;
	if (options->network == NETWORK_LOOPBACK && (error = try_listeners(ready.diag)))
		give_up(launch, "search for listeners", error);
	if (options->confine)
		give_up_privileges(launch);
	if (options->job && (error = become_job(&launch->terminal)))
		give_up(launch, "job", error);
	/* This is not part of the boundary, but only the fastest way to end: the signal follows the end of the launcher's thread,
	 * and reaches only this child. It has to come after every change of credentials, which would clear it. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		give_up(launch, "parent-death signal", -errno);
	if (options->own_processes ? has_ended(launch->self) : getppid() != launch->launcher)
		_exit(125);
	/* The child has copied this from the launcher, which no process may trace. But the supervisor must read this child. As a
	 * user, or as root in a container, it has no CAP_SYS_PTRACE. */
	if (prctl(PR_SET_DUMPABLE, 1) < 0)
		give_up(launch, "dumpable", -errno);
	if (options->landlock && (error = restrict_self(launch->ruleset)))
		give_up(launch, "landlock_restrict_self", error);
	if (options->seccomp)
		ready.listener = filter_calls(launch);
	/* A job has no jobserver: both have the same places. */
	const int kept_open[] = { JOBSERVER_READS_FD, JOBSERVER_WRITES_FD, launch->setup };
	const int kept_by_job[] = { launch->setup, JOB_SCRIPT_FD, JOB_REPORT_FD };
	const size_t jobserver = options->jobserver_reads ? 2 : 0;
	if (options->job && (error = place_job_descriptors()))
		give_up(launch, "job", error);
	error = options->job ? close_descriptors(kept_by_job, 3) :
			       close_descriptors(kept_open + 2 - jobserver, 1 + jobserver);
	if (error)
		give_up(launch, "close descriptors", error);
	if (jobserver && (error = place_jobserver(options, &launch->setup)))
		give_up(launch, "jobserver", error);
	/* Limits come last: a limit for the command must not stop the set-up, which opens and writes files itself. */
	if ((error = set_limits(&options->limits)))
		give_up(launch, "limits", error);
	say(launch, &ready);
	reset_signals(launch);
	execve(options->argv[0], options->argv, (char *const *)options->environment);
	give_up_at(launch, "exec", -errno, options->argv[0]);
}
