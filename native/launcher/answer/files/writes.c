/* Calls that create, change, move or remove files: refused with a report where the boundary would refuse them
 * anyway, and where only the supervisor can (protected files that do not exist yet). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "answer/files/changes.h"
#include "answer/files/denied_paths.h"
#include "answer/files/denied_places.h"
#include "answer/files/git_repositories.h"
#include "answer/files/kept_mounts.h"
#include "answer/files/made_files.h"
#include "answer/files/path_answer.h"
#include "answer/files/rename_on_behalf.h"
#include "base/kernel_abi.h"
#include "confine/given_streams.h"
#include "paths/remembered_folder.h"
#include "paths/resolve.h"
#include "report/violations.h"
#include "supervise/acts.h"
#include "supervise/notify.h"

/* Registers as in struct operand; `flags` is one of openat(2), from 0 on. */
static int answer_open(const struct call *call, int dirfd, int path, int flags)
{
	bool creates = call->data->args[flags] & O_CREAT;
	bool writes = call->data->args[flags] & (O_WRONLY | O_RDWR | O_TRUNC);
	bool anew = creates && (call->data->args[flags] & O_EXCL);
	enum use use = anew ? NEW : creates ? CREATE : writes ? WRITE : READ;
	struct operand operand = { (unsigned char)dirfd, (unsigned char)path, 0, use };

	if (call->data->args[flags] & O_PATH)
		return CONTINUE; /* a name, not its contents: Landlock allows it */
	int access = (int)call->data->args[flags] & O_ACCMODE;
	bool cuts = call->data->args[flags] & O_TRUNC;
	struct manner manner = {
		.no_follow = call->data->args[flags] & O_NOFOLLOW,
		.wants = (access != O_WRONLY ? WANTS_READ : 0) | (access != O_RDONLY || cuts ? WANTS_WRITE : 0),
		.opens = use == READ ? NULL : &call->data->args[flags],
	};
	char resolved[PATH_MAX];

	return answer_path(call, operand, manner, resolved);
}

/* Such a folder may be, or contain, the current folder of a process. A path that is unknown may name one. */
static bool moves_folder(const struct call *call, const char *from, const char *exchanged)
{
	return *from == '\0' || is_folder(&call->task, from) ||
	       (exchanged && (*exchanged == '\0' || is_folder(&call->task, exchanged)));
}

static int answer_rename(const struct call *call, const struct operand operands[2])
{
	char from[PATH_MAX], to[PATH_MAX];
	unsigned flags = call->data->nr == __NR_renameat2 ? (unsigned)call->data->args[4] : 0;
	/* An exchange moves a file to both paths. */
	int result = answer_path(call, operands[0], (struct manner){ .arrives = flags & RENAME_EXCHANGE }, from);

	if (result == CONTINUE)
		result = answer_path(call, operands[1],
				    (struct manner){ .arrives = true, .no_replace = flags & RENAME_NOREPLACE }, to);
	if (result == CONTINUE && moves_folder(call, from, flags & RENAME_EXCHANGE ? to : NULL))
		forget_folders();
	if (result != CONTINUE || from[0] == '\0' || to[0] == '\0')
		return result;
	result = answer_denied_move(call, from, to);
	if (result == CONTINUE && (flags & RENAME_EXCHANGE))
		result = answer_denied_move(call, to, from);
	if (result != CONTINUE || call->watch->options->report == REPORT_MINIMAL)
		return result;
	const struct options *options = call->watch->options;
	bool exchanged = flags & RENAME_EXCHANGE;
	if (options->nested_hooks) {
		if (is_old_git_folder(from) && !is_for_submodules(options, to))
			return refuse(call, "write", "protected", from, -EACCES);
		if (exchanged && is_old_git_folder(to))
			return refuse(call, "write", "protected", to, -EACCES);
		if (is_part_of_old_git_folder(from))
			return refuse(call, "write", "protected", from, -EACCES);
	}
	if (exchanged && is_own_config(options, from))
		return refuse(call, "write", "protected", from, -EACCES);
	if (exchanged && is_own_config(options, to))
		return refuse(call, "write", "protected", to, -EACCES);
	note_moved(from, to);
	report_moved(call, from, to);
	if (exchanged)
		report_moved(call, to, from);
	if (guard_of(options, to) == CONFIG || (exchanged && guard_of(options, from) == CONFIG))
		return replace_nested(call, from, to, flags);
	return replace(call, from, to, flags);
}

/* A file that may not be written may not get a second name either, through which it could be written. */
static int answer_link(const struct call *call, const struct operand operands[2])
{
	char from[PATH_MAX], to[PATH_MAX];
	bool follows = call->data->nr == __NR_linkat && call->data->args[4] & AT_SYMLINK_FOLLOW;
	int result = answer_path(call, operands[0], (struct manner){ .no_follow = !follows, .wants = WANTS_READ | WANTS_WRITE }, from);

	if (result == CONTINUE)
		result = answer_path(call, operands[1], (struct manner){ 0 }, to);
	if (result != CONTINUE || !*from || !*to)
		return result;
	const char *entry = place_below(call->watch->options, to);
	return entry && is_link(&call->task, from) ? refuse_denied(call, "write", entry, to) : CONTINUE;
}

/* A unix socket with a name is a new file. If the path is wrong for a new file, the kernel returns its own error. */
int answer_socket_file(const struct call *call, const char *path)
{
	const struct options *options = call->watch->options;
	char resolved[PATH_MAX];

	if (options->report == REPORT_MINIMAL && !options->denied[0])
		return CONTINUE;
	look_at_places(call);
	int fd = resolve(&call->task, AT_FDCWD, path, NO_FOLLOW, resolved);
	if (fd >= 0) {
		close(fd);
		return CONTINUE; /* EADDRINUSE */
	}
	if (fd != -ENOENT)
		return fd == NOT_A_PATH ? CONTINUE : fd;
	if (resolved[0] == '\0')
		return CONTINUE; /* ENOENT */
	const char *denied = denied_place(options, resolved);
	if (denied && still_waits(call))
		return refuse_denied(call, "write", denied, resolved);
	if (options->report == REPORT_MINIMAL)
		return CONTINUE;
	const char *rule = refused_by(options, resolved, NEW, false);
	if (!rule || strcmp(rule, "protected") == 0)
		report_change(call, resolved, NEW);
	if (!rule || !user_could(call, resolved, false, NEW) || !still_waits(call))
		return CONTINUE;
	return refuse(call, "write", rule, resolved, -EACCES);
}

static int look_at_write(const struct call *call)
{
	if (call->data->nr == __NR_openat)
		return answer_open(call, 1, 2, 2);
#ifdef __NR_open
	if (call->data->nr == __NR_open)
		return answer_open(call, 0, 1, 1);
#endif
	const struct write_call *found = find_write_call(call->data->nr);
	if (!found)
		return -EPERM;
	const enum use use = found->operands[0].use;
	if ((use == ATTRIBUTE || use == LINK_ATTRIBUTE) && !call->watch->options->denied[0] && mounts_are_kept(&call->watch->kept))
		return CONTINUE;
	if (found->kind == LINKS)
		return answer_link(call, found->operands);
	if (found->kind == RENAMES)
		return answer_rename(call, found->operands);
	char resolved[PATH_MAX];
	bool rmdir = found->kind == REMOVES_FOLDER ||
		     (call->data->nr == __NR_unlinkat && (call->data->args[2] & AT_REMOVEDIR));
	if (rmdir)
		forget_folders();
	static const __u64 of_creat = O_WRONLY | O_CREAT | O_TRUNC;
	struct manner manner = {
		.removes = rmdir || found->kind == REMOVES,
		.rmdir = rmdir,
		.opens = found->operands[0].use == CREATE ? &of_creat : NULL,
		.wants = WANTS_WRITE,
	};
	return answer_path(call, found->operands[0], manner, resolved);
}

int answer_write(const struct call *call)
{
	int result;

	do {
		begin_look();
		result = look_at_write(call);
	} while (result == LOOK_AGAIN || (result == CONTINUE && look_is_stale() && still_waits(call)));
	return result;
}
