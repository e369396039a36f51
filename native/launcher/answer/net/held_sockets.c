#define _GNU_SOURCE
#include "answer/net/held_sockets.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel_abi.h"
#include "base/clock.h"
#include "tree/tree.h"

#define SEARCH_MS 100

/* The number of a descriptor of `pid` that links to `wanted`; -ENOENT, or -ETIMEDOUT when it is `until`. */
static int find_descriptor(pid_t pid, const char *wanted, uint64_t until)
{
	char path[PATH_MAX], link[64];
	int number = -ENOENT;
	size_t count = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	DIR *descriptors = opendir(path);
	if (!descriptors)
		return -ENOENT;
	for (struct dirent *entry; number == -ENOENT && (entry = readdir(descriptors));) {
		ssize_t length = readlinkat(dirfd(descriptors), entry->d_name, link, sizeof(link) - 1);
		link[length > 0 ? length : 0] = '\0';
		if (strcmp(link, wanted) == 0)
			number = atoi(entry->d_name);
		else if (++count % 64 == 0 && milliseconds(CLOCK_MONOTONIC) >= until)
			number = -ETIMEDOUT;
	}
	closedir(descriptors);
	return number;
}

struct search {
	char wanted[64];
	uint64_t until;
	pid_t holder;
	int descriptor; /* the holder's descriptor; -ENOENT: not found yet, -ETIMEDOUT: the search was given up */
};

static void look_in(pid_t pid, void *argument)
{
	struct search *search = argument;

	if (search->descriptor != -ENOENT)
		return;
	search->holder = pid;
	search->descriptor = milliseconds(CLOCK_MONOTONIC) < search->until ?
				     find_descriptor(pid, search->wanted, search->until) :
				     -ETIMEDOUT;
}

/* The supervisor waits for this search, and so do all notified calls and its clocks. A tree with millions of open descriptors
 * is therefore not searched to the end. Returns 0 or -errno. */
static int find_holder(unsigned long inode, struct search *search)
{
	*search = (struct search){ .until = milliseconds(CLOCK_MONOTONIC) + SEARCH_MS, .descriptor = -ENOENT };
	snprintf(search->wanted, sizeof(search->wanted), "socket:[%lu]", inode);
	int error = visit_tree(look_in, search);
	return error ? error : search->descriptor < 0 ? search->descriptor : 0;
}

static bool is_socket(int descriptor, const struct socket_id *id)
{
	uint64_t cookie;
	socklen_t length = sizeof(cookie);

	return getsockopt(descriptor, SOL_SOCKET, SO_COOKIE, &cookie, &length) == 0 &&
	       cookie == ((uint64_t)id->cookie[1] << 32 | id->cookie[0]);
}

/* Where descriptors cannot be borrowed (default Docker), the inode number is enough: there the supervisor connects no stream for
 * the task. */
bool tree_holds_socket(const struct socket_id *id)
{
	int borrowed = borrow_from_tree(id);

	if (borrowed >= 0)
		close(borrowed);
	return borrowed >= 0 || borrowed == -EPERM;
}

int borrow_from_tree(const struct socket_id *id)
{
	struct search found;

	int missing = find_holder(id->inode, &found);
	if (missing)
		return missing;
	int pidfd = (int)syscall(__NR_pidfd_open, found.holder, 0);
	if (pidfd < 0)
		return errno == ESRCH ? -ENOENT : -errno;
	int borrowed = (int)syscall(__NR_pidfd_getfd, pidfd, found.descriptor, 0);
	int error = errno;
	close(pidfd);
	if (borrowed < 0)
		return error == EBADF || error == ESRCH ? -ENOENT : -error;
	/* The number may belong to another file by now, or even to another process. */
	if (is_socket(borrowed, id))
		return borrowed;
	close(borrowed);
	return -ENOENT;
}
