#define _GNU_SOURCE
#include "answer/files/path_answer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "answer/files/appended.h"
#include "answer/files/changes.h"
#include "answer/files/config_replacement.h"
#include "answer/files/denied_paths.h"
#include "answer/files/denied_places.h"
#include "answer/files/given_names.h"
#include "answer/files/kept_mounts.h"
#include "answer/files/made_files.h"
#include "answer/files/proc_own.h"
#include "base/path_list.h"
#include "paths/resolve.h"
#include "report/violations.h"

/* The file behind a descriptor, however it was opened. A file without a name has no path to check. `named`: the call names the file
 * by an empty path, for which O_PATH is enough. The run has opened any other descriptor itself, so its file was not denied then. */
static int answer_descriptor(const struct call *call, int fd, bool named)
{
	const struct options *options = call->watch->options;
	char link[64], path[PATH_MAX];
	struct stat info;

	snprintf(link, sizeof(link), "/proc/%d/fd/%d", call->task.pid, fd);
	ssize_t length = readlink(link, path, sizeof(path) - 1);
	if (length == -1 && errno == ENAMETOOLONG)
		return -ENAMETOOLONG; /* cannot be looked at */
	if (length < 0 || *path != '/' || stat(link, &info) < 0 || info.st_nlink == 0)
		return CONTINUE;
	path[length] = '\0';
	const char *denied = named ? denied_by(options, path, true) : NULL;
	if (denied && !run_made(path) && still_waits(call))
		return refuse_denied(call, "write", denied, path);
	if (mounts_are_kept(&call->watch->kept) || options->report == REPORT_MINIMAL)
		return CONTINUE;
	const char *rule = refused_by(options, path, ATTRIBUTE, false);
	if (!rule)
		report_change(call, path, ATTRIBUTE);
	if (!rule || !user_could(call, path, true, ATTRIBUTE) || !still_waits(call))
		return CONTINUE;
	return refuse(call, "write", rule, path, -EACCES);
}

/* Resolves (dirfd, path) as resolve() does, and finds the entry of denied_paths that covers it. A denied name may be a link to
 * a file that is not denied. */
static int look_up(const struct call *call, int dirfd, const char *path, enum follow follow, char resolved[PATH_MAX],
		   const char **denied)
{
	const struct options *options = call->watch->options;
	struct stat info;
	int fd = resolve(&call->task, dirfd, path, options->denied[0] ? NO_FOLLOW : follow, resolved);

	*denied = denied_by(options, resolved, fd >= 0);
	if (!options->denied[0] || *denied || follow == NO_FOLLOW || fd < 0 || fstat(fd, &info) < 0 || !S_ISLNK(info.st_mode))
		return fd;
	close(fd);
	fd = resolve(&call->task, dirfd, path, FOLLOW, resolved);
	*denied = denied_by(options, resolved, fd >= 0);
	return fd;
}

/* The path of the file that a link by descriptor (AT_EMPTY_PATH) means. A thread can have its own descriptor table
 * (unshare(2), CLONE_FILES). */
static bool name_descriptor(const struct call *call, uint64_t flags, int dirfd, char path[PATH_MAX])
{
	return call->data->nr == __NR_linkat && (flags & AT_EMPTY_PATH) &&
	       dirfd != AT_FDCWD && snprintf(path, PATH_MAX, "/proc/thread-self/fd/%d", dirfd) > 0;
}

static bool holds(const char *const *list, const char *path)
{
	for (; *list; list++)
		if (is_within(*list, path))
			return true;
	return false;
}

/* Pinned only for denied_paths: the hidden files below it are known by their paths. */
static bool is_on_way_to_masked(const struct options *options, const char *path)
{
	return is_listed(options->pinned, path) && holds(options->masked, path) && !holds(options->readonly, path) &&
	       !holds(options->absent, path) && !holds(options->shadowed, path);
}

/* Files whose age will count (git_repositories.h): folders, and files that stand for a git folder. */
static bool is_made_by(enum use use, const char *path, bool exists)
{
	return !exists && (use == NEW_FOLDER || ((use == CREATE || use == NEW) && strcasecmp(strrchr(path, '/'), "/.git") == 0));
}

/* Whether the call creates a file here, or moves one here. */
static bool makes(enum use use, struct manner manner, bool exists)
{
	return use == ENTRY ? manner.arrives : use >= CREATE && !exists;
}

int answer_path(const struct call *call, struct operand operand, struct manner manner, char resolved[PATH_MAX])
{
	const struct options *options = call->watch->options;
	const __u64 *args = call->data->args;
	int dirfd = operand.dirfd ? (int)args[operand.dirfd - 1] : AT_FDCWD;
	uint64_t flags = operand.flags ? args[operand.flags - 1] : 0;
	uint64_t pointer = operand.path ? args[operand.path - 1] : 0;
	bool attribute = operand.use == ATTRIBUTE || operand.use == LINK_ATTRIBUTE;
	char path[PATH_MAX];

	resolved[0] = '\0';
	ssize_t length = pointer ? read_string(&call->task, pointer, path, sizeof(path)) : 0;
	if (length < 0)
		return (int)length; /* a call that cannot be checked is refused */
	bool by_descriptor = length == 0 && !attribute && name_descriptor(call, flags, dirfd, path);
	if (length == 0 && !attribute && !by_descriptor)
		return CONTINUE; /* ENOENT */
	if (length == 0 && attribute && dirfd != AT_FDCWD)
		return answer_descriptor(call, dirfd, pointer != 0);
	if (length == 0 && attribute)
		strcpy(path, ".");
	bool no_follow = manner.no_follow || operand.use == LINK_ATTRIBUTE || (flags & AT_SYMLINK_NOFOLLOW);
	enum follow follow = (operand.use >= NEW || no_follow) && !by_descriptor ? NO_FOLLOW : FOLLOW;
	const char *denied;
	look_at_places(call);
	int fd = look_up(call, dirfd, path, follow, resolved, &denied);
	bool exists = fd >= 0;
	int appended = manner.opens ? appended_by(fd) : -1;
	if (exists)
		close(fd);
	if (fd == NOT_A_PATH)
		return answer_pipe(call, resolved, manner.wants);
	/* A path that cannot be resolved (magic links on the way, too long) could be a protected name, or a file outside. */
	if (!exists && fd != -ENOENT && fd != A_GONE_FILE && (operand.use != READ || options->denied[0]))
		return fd;
	bool opens = operand.use == READ || operand.use == WRITE || operand.use == CREATE;
	const char *place = resolved[0] && makes(operand.use, manner, exists) ? denied_place(options, resolved) : NULL;
	if (!place && operand.use == NEW_LINK && !exists && resolved[0])
		place = place_below(options, resolved);
	if (place && still_waits(call))
		return refuse_denied(call, "write", place, resolved);
	/* cp(1) and unzip(1) set the mode and times of a file that they have made, even if its name is denied. */
	if (!exists && (operand.use == CREATE || operand.use == NEW) && resolved[0] && denied_by(options, resolved, true))
		note_made(resolved);
	if (denied && (opens || (attribute && !run_made(resolved))) && still_waits(call))
		return refuse_denied(call, operand.use == READ ? "read" : "write", denied, resolved);
	if (attribute && mounts_are_kept(&call->watch->kept))
		return CONTINUE;
	if (fd == A_GONE_FILE && (operand.use == READ || operand.use == WRITE || operand.use == CREATE))
		return answer_gone(call, resolved, manner.opens, manner.wants);
	/* Uses a magic link, because a path could be replaced meanwhile. */
	if (fd == -ENOENT && options->view && is_gone_stream(resolved)) {
		if (attribute)
			return still_waits(call) ? refuse(call, "write", "outside", resolved, -EACCES) : CONTINUE;
		if (opens)
			return answer_gone(call, resolved, manner.opens, manner.wants);
	}
	if (appended >= 0 && still_waits(call))
		return open_appended(call, appended, *manner.opens);
	if (options->report == REPORT_MINIMAL || (operand.use == READ && options->report != REPORT_ALL))
		return CONTINUE; /* asked about for the sake of denied_paths */
	if (resolved[0] == '\0' || fd == A_GONE_FILE || (!exists && operand.use < CREATE) || (exists && operand.use >= NEW && operand.use < ENTRY) ||
	    (!exists && manner.removes))
		return CONTINUE; /* ENOENT and EEXIST as well */
	int served = manner.opens ? serve_own_file(call, resolved, *manner.opens) : CONTINUE;
	if (served != CONTINUE)
		return served;
	/* The same as for a mount point: it may be one, or contain one. */
	if (operand.use == ENTRY && !manner.removes && holds_root(options, resolved))
		return exists && manner.no_replace ? -EEXIST : -EBUSY;
	const char *rule = refused_by(options, resolved, operand.use, manner.arrives);
	/* A change in place is allowed only in the private copy. A file with another name that is renamed to it is checked
	 * (rename_on_behalf.c). */
	bool is_bare = operand.use != READ && is_shadow_gone(call, resolved);
	if (!rule && is_bare && !manner.arrives)
		rule = "protected";
	if (is_bare)
		report_bare(call, resolved);
	/* Remembers it whether refused or not: another thread can change the path before the kernel reads it. The file that exists
	 * afterwards then belongs to the run. */
	if (operand.use != READ && (!rule || strcmp(rule, "protected") == 0))
		report_change(call, resolved, operand.use);
	if (!rule && is_made_by(operand.use, resolved, exists))
		note_made(resolved);
	if (!rule || !still_waits(call))
		return CONTINUE;
	/* Not a refusal of ion. But a read-only mount of the run would return EROFS. */
	if (!user_could(call, resolved, exists, operand.use))
		return (manner.opens || operand.use >= CREATE) && errno == EACCES ? -EACCES : CONTINUE;
	/* mv(1) first tries the folder that it moves into. The kernel gives its own answer, and ion does not report it. */
	if (exists && manner.no_replace)
		return -EEXIST;
	/* git tries to remove each folder that may have become empty, its own included. A pinned folder is never empty. */
	if (exists && manner.rmdir && is_listed(options->pinned, resolved))
		return -ENOTEMPTY;
	/* This is the answer for every folder that may contain a denied file (denied_paths.c): mv(1) copies it. */
	if (operand.use == ENTRY && !manner.removes && is_on_way_to_masked(options, resolved))
		return -EXDEV;
	return refuse(call, operand.use == READ ? "read" : "write", rule, resolved, -EACCES);
}
