#define _GNU_SOURCE
#include "confine/handed_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "confine/given_streams.h"
#include "supervise/pump.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008u
#endif
#ifndef PIPEFS_MAGIC
#define PIPEFS_MAGIC 0x50495045
#endif
#define COPY_MAX_BYTES (64ll << 20)
#define ALL_SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

static int open_again(int stream, int flags)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", stream);
	return open(link, flags | O_CLOEXEC | O_NOCTTY);
}

static int copy_in_memory(int stream, off_t size)
{
	int copy = memfd_create("standard input", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
	off_t from = 0;

	if (copy < 0) /* before Linux 6.3 */
		copy = memfd_create("standard input", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (copy < 0)
		return -1;
	while (from < size && sendfile(copy, stream, &from, (size_t)(size - from)) > 0)
		continue;
	int fd = -1;
	if (from == size && fchmod(copy, 0444) == 0 && fcntl(copy, F_ADD_SEALS, ALL_SEALS) == 0)
		fd = open_again(copy, O_RDONLY);
	close(copy);
	return fd;
}

/* A file that cannot be copied stays: the supervisor guards it. */
static int seal_removed_file(int stream, const struct stat *info)
{
	if (info->st_size > COPY_MAX_BYTES)
		return -1;
	int kept = fcntl(stream, F_DUPFD_CLOEXEC, STREAMS);
	int copy = kept < 0 ? -1 : copy_in_memory(kept, info->st_size);
	off_t position = copy < 0 ? -1 : lseek(kept, 0, SEEK_CUR);

	bool done = position >= 0 && lseek(copy, position, SEEK_SET) >= 0 && dup2(copy, stream) >= 0;
	if (copy >= 0)
		close(copy);
	if (done)
		return kept;
	if (kept >= 0)
		close(kept);
	return -1;
}

static void append_only(int stream)
{
	int fd = open_again(stream, O_WRONLY | O_APPEND);

	if (fd < 0)
		return; /* closed to this user */
	(void)dup2(fd, stream);
	close(fd);
}

static int option(int socket, int name)
{
	int value = -1;
	socklen_t length = sizeof(value);

	return getsockopt(socket, SOL_SOCKET, name, &value, &length) < 0 ? -1 : value;
}

static bool is_connected(int socket)
{
	struct sockaddr_storage peer;
	socklen_t length = sizeof(peer);

	return getpeername(socket, (struct sockaddr *)&peer, &length) == 0;
}

/* The supervisor makes connections of unix sockets, and checks the address. A message to an abstract name reaches the socket's
 * own network namespace, which is not the run's, unless a Landlock scope prevents it. */
static bool could_go_elsewhere(const struct options *options, int socket)
{
	int domain = option(socket, SO_DOMAIN), type = option(socket, SO_TYPE);

	if (options->network == NETWORK_FULL && !options->network_namespace)
		return false;
	if (domain == AF_UNIX)
		return type == SOCK_DGRAM && options->network_namespace && !options->scoped;
	bool internet = domain == AF_INET || domain == AF_INET6;
	/* Without a supervisor no one refuses to dissolve a connection. Protocols other than TCP have their own ways to
	 * connect. */
	if (internet && (!options->listener || (option(socket, SO_PROTOCOL) != IPPROTO_TCP &&
						 option(socket, SO_PROTOCOL) != IPPROTO_MPTCP)))
		return true;
	if (type != SOCK_STREAM && type != SOCK_SEQPACKET)
		return true;
	return !is_connected(socket) && option(socket, SO_ACCEPTCONN) != 1;
}

static bool is_anonymous_pipe(int stream)
{
	struct statfs system;

	return fstatfs(stream, &system) == 0 && system.f_type == PIPEFS_MAGIC;
}

int prepare_streams(const struct options *options, int originals[STREAMS], const char **what)
{
	for (int stream = 0; stream < STREAMS; stream++) {
		struct stat info;
		int flags = fcntl(stream, F_GETFL);

		originals[stream] = -1;
		if (flags < 0 || (flags & O_PATH) || fstat(stream, &info) < 0)
			continue;
		int access = flags & O_ACCMODE;
		*what = stream_name(stream);
		if (S_ISSOCK(info.st_mode) && could_go_elsewhere(options, stream))
			return -EDESTADDRREQ;
		if (S_ISREG(info.st_mode) && info.st_nlink == 0 && access == O_RDONLY)
			originals[stream] = seal_removed_file(stream, &info);
		if (S_ISREG(info.st_mode) && access == O_RDWR && (flags & O_APPEND))
			append_only(stream);
		int error = S_ISFIFO(info.st_mode) && access == O_WRONLY && is_anonymous_pipe(stream) ? pump_stream(stream) : 0;
		if (error)
			return error;
	}
	return 0;
}
