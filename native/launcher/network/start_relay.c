#define _GNU_SOURCE
#include "network/start_relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "network/relay_process.h"
#include "network/run_sockets.h"
#include "options/standby.h"
#include "tree/tree.h"

#define MEET_MS 10000

static int keep_away(int fd)
{
	int kept = fcntl(fd, F_DUPFD_CLOEXEC, ABOVE_ALL_PLACES);

	close(fd);
	return kept;
}

static int open_pair(int ends[2])
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	for (int i = 0; i < 2; i++)
		if ((ends[i] = keep_away(ends[i])) < 0)
			return -errno;
	return 0;
}

static void *share_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

int start_relay(const struct options *options, struct relay_process *process, const char **detail)
{
	int reports[2], meeting[2], answers[2], error;
	const pid_t launcher = getpid();

	*detail = NULL;
	process->shared = share_memory(sizeof(*process->shared));
	process->sockets = share_memory(sizeof(*process->sockets));
	process->rules = calloc(1, sizeof(*process->rules));
	if (!process->shared || !process->sockets || !process->rules)
		return -ENOMEM;
	if ((error = read_rules(options->network_allow, options->network_deny, process->rules, detail)))
		return error;
	*detail = NULL;
	if ((error = open_pair(reports)) || (error = open_pair(meeting)) || (error = open_pair(answers)))
		return error;
	long pid = syscall(__NR_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
	if (pid < 0)
		return -errno;
	const int theirs[RELAY_ENDS] = { [RELAY_REPORTS] = reports[1], [RELAY_MEETING] = meeting[1], [RELAY_ANSWERS] = answers[1] };
	if (pid == 0)
		be_relay(options, process, theirs, launcher);
	process->pid = (pid_t)pid;
	leave_out_of_tree(process->pid);
	process->reports = reports[0];
	process->meeting = meeting[0];
	process->answers = answers[0];
	memcpy(process->theirs, theirs, sizeof(theirs));
	return 0;
}

int meet_relay(const struct options *options, const struct relay_process *process, const char **step)
{
	struct greeting greeting = { 0 };
	int error = make_run_sockets(process->rules, options->name_servers, process->sockets, step);

	if (error)
		return error;
	*step = "relay";
	if (send(process->meeting, &greeting, sizeof(greeting), MSG_NOSIGNAL) < 0)
		return -errno;
	/* Its death does not show as an end of file yet, because the table is shared. */
	struct pollfd wait = { .fd = process->meeting, .events = POLLIN };
	if (poll(&wait, 1, MEET_MS) != 1)
		return -ETIMEDOUT;
	return recv(process->meeting, &greeting, sizeof(greeting), 0) == sizeof(greeting) ? greeting.error : -ECONNRESET;
}

void leave_relay(struct relay_process *process)
{
	if (!process->sockets)
		return;
	for (size_t i = 0; i < process->sockets->count; i++)
		close(process->sockets->list[i].fd);
	munmap(process->sockets, sizeof(*process->sockets));
	process->sockets = NULL;
	for (size_t i = 0; i < RELAY_ENDS; i++)
		close(process->theirs[i]);
	close(process->meeting);
}

void end_relay(struct relay_process *process)
{
	if (process->pid <= 0)
		return;
	leave_out_of_tree(0);
	kill(process->pid, SIGKILL);
	while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
		;
	process->pid = 0;
}
