/* The supervisor's side of the seccomp listener: one answer per notification. */
#ifndef ION_NOTIFY_H
#define ION_NOTIFY_H

#include <linux/seccomp.h>

#include "supervise/task.h"
#include "answer/exec/deny_rules.h"
#include "answer/exec/known_programs.h"
#include "answer/files/kept_mounts.h"
#include "options/options.h"
#include "answer/exec/prefix_rules.h"

struct exec_room;

struct watch {
	const struct options *options;
	int control;
	int listener;
	int root;  /* O_PATH of the run's root folder */
	int diag;  /* socket-diagnosis netlink socket in the run's network namespace, or -1 */
	struct kept_mounts kept;
	pid_t command; /* the process that ion starts */
	struct deny_rules deny;
	struct prefix_rules rules;
	struct known_programs known;
};

/* A notification being answered, by one of several threads. */
struct call {
	const struct watch *watch;
	struct task task;
	const struct seccomp_data *data;
	uint64_t id;
	struct exec_room *room; /* of the thread that answers */
	const char *name;       /* of the system call */
};

/* The result of a handler. CONTINUE: the kernel carries the call out with its own checks. 0 or -errno: the task's result.
 * ANSWERED: a worker answers later. LOOK_AGAIN: another thread changed files meanwhile (acts.h). */
enum { CONTINUE = 1, ANSWERED = 2, LOOK_AGAIN = 3 };

/* Set the listener up. Returns 0 or -errno. */
int open_watch(struct watch *watch, pid_t command);

/* Waits for a notification. Returns 0; -EAGAIN when the notification is gone again; another -errno when the listener is broken. */
int receive_notification(const struct watch *watch, struct seccomp_notif *notification);

void answer_notification(const struct watch *watch, const struct seccomp_notif *notification, struct exec_room *room);

/* Answer `id` from another thread. */
void answer(const struct watch *watch, uint64_t id, int result);

/* Give the task of an open(2) with `flags` the descriptor `fd`, which is closed here. Returns ANSWERED or -errno. */
int give_descriptor(const struct call *call, int fd, uint64_t flags);

/* Whether the task is still waiting. Otherwise another process may have its pid by now: call this after every read of the task. */
bool still_waits(const struct call *call);

/* Kill the process that waits. */
void kill_task(const struct call *call);

int answer_write(const struct call *call);
/* bind(2) of a unix socket to a path: CONTINUE, or -errno with the refusal reported. */
int answer_socket_file(const struct call *call, const char *path);
int answer_exec(const struct call *call);
int answer_connect(const struct call *call);
int answer_bind(const struct call *call);
int answer_listen(const struct call *call);
int answer_shutdown(const struct call *call);
int answer_send(const struct call *call);
int answer_target(const struct call *call);
int answer_ftruncate(const struct call *call);
int answer_flags(const struct call *call);
int answer_set_id(const struct call *call);

#endif
