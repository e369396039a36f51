#define _GNU_SOURCE
#include "supervise/pump.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "confine/streams.h"

struct pump {
	int from, to;
	dev_t device; /* of `to` */
	ino_t inode;
	int writer;   /* for a second stream that is the same pipe */
};

static struct pump pumps[STREAMS];
static int count, running, done = -1; /* `done`: an eventfd, to which each pump adds one */
static bool pumped[STREAMS];

static bool write_whole(int to, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t written = write(to, data, size);
		if (written < 0 && errno == EAGAIN)
			(void)poll(&(struct pollfd){ .fd = to, .events = POLLOUT }, 1, -1);
		else if (written < 0 && errno != EINTR)
			return false;
		else if (written > 0) {
			data += written;
			size -= (size_t)written;
		}
	}
	return true;
}

/* A packet of the pipe is one write. Also waits for the end of the reader: an idle writer may check whether the pipe still has a
 * reader. */
static bool carry_on(const struct pump *pump)
{
	struct pollfd ends[] = { { .fd = pump->from, .events = POLLIN }, { .fd = pump->to } };
	char data[PIPE_BUF];

	if (poll(ends, 2, -1) < 0)
		return errno == EINTR;
	if (ends[1].revents & (POLLERR | POLLNVAL))
		return false;
	ssize_t size = read(pump->from, data, sizeof(data));
	if (size < 0)
		return errno == EINTR;
	return size > 0 && write_whole(pump->to, data, (size_t)size);
}

static void *run_pump(void *argument)
{
	struct pump *pump = argument;
	const uint64_t one = 1;

	while (carry_on(pump))
		continue;
	close(pump->from);
	close(pump->to);
	(void)!write(done, &one, sizeof(one));
	return NULL;
}

static void start_pump(struct pump *pump)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, 64 * 1024);
	/* Without a thread its writers get SIGPIPE at once. */
	if (pthread_create(&thread, &attributes, run_pump, pump) == 0) {
		running++;
	} else {
		close(pump->from);
		close(pump->to);
	}
	pthread_attr_destroy(&attributes);
}

static int make_pump(int stream, const struct stat *info)
{
	struct pump *pump = &pumps[count];
	int ends[2];

	if (pipe2(ends, O_CLOEXEC | O_DIRECT) < 0)
		return -errno;
	*pump = (struct pump){ ends[0], fcntl(stream, F_DUPFD_CLOEXEC, STREAMS), info->st_dev, info->st_ino, ends[1] };
	if (pump->to < 0)
		return -errno;
	count++;
	return 0;
}

int pump_stream(int stream)
{
	struct stat info;
	int error = fstat(stream, &info) < 0 ? -errno : 0, found = 0;

	while (found < count && (pumps[found].device != info.st_dev || pumps[found].inode != info.st_ino))
		found++;
	if (!error && found == count)
		error = make_pump(stream, &info);
	if (!error && dup2(pumps[found].writer, stream) < 0)
		error = -errno;
	pumped[stream] = !error;
	return error;
}

bool is_pumped(int stream)
{
	return pumped[stream];
}

void begin_pumping(void)
{
	if (count == 0)
		return;
	done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	for (int stream = 0; stream < STREAMS; stream++)
		if (pumped[stream])
			leave_stream(stream);
	for (int i = 0; i < count; i++) {
		close(pumps[i].writer);
		start_pump(&pumps[i]);
	}
}

int pumps_descriptor(void)
{
	return done;
}

bool pumps_are_done(void)
{
	uint64_t ended = 0;

	if (running > 0 && read(done, &ended, sizeof(ended)) == (ssize_t)sizeof(ended))
		running -= (int)ended;
	return running <= 0 || done < 0;
}
