/* Requests that a file system answers late, so that a race has one order.
 *
 * A look-up of `slow` waits for one of `go`, at most until the file system ends. The first bytes that the launcher writes to the new text of a config (`config.ion-...`)
 * wait until somebody has opened that file for writing, at most a second from then on. */
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

struct held {
	union {
		struct fuse_in_header header;
		char bytes[4096];
	};
	bool waits, was;
	long long until;
};

static struct held look, change;

static void answer(const struct fuse_in_header *header);

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static bool hold(struct held *held, const struct fuse_in_header *header)
{
	if (held->was || header->len > sizeof(held->bytes))
		return false;
	memcpy(held->bytes, header, header->len);
	held->waits = held->was = true;
	held->until = now_ms() + 1000;
	return true;
}

static void release(struct held *held)
{
	if (!held->waits)
		return;
	held->waits = false;
	answer(&held->header);
}

static bool is_new_config(const char *name)
{
	return strncmp(name, "config.ion-", strlen("config.ion-")) == 0;
}

/* Whether this request is answered later. `name`: of its file. */
static bool is_held(const struct fuse_in_header *header, const char *name)
{
	if (header->opcode == FUSE_LOOKUP)
		return strcmp(name, "slow") == 0 && hold(&look, header);
	return header->opcode == FUSE_WRITE && is_new_config(name) && hold(&change, header);
}

/* After the answer to a request. */
static void release_after(const struct fuse_in_header *header, const char *name)
{
	if (header->opcode == FUSE_LOOKUP && strcmp(name, "go") == 0)
		release(&look);
	if (header->opcode == FUSE_OPEN && (((const struct fuse_open_in *)(header + 1))->flags & O_ACCMODE) != O_RDONLY &&
	    is_new_config(name))
		release(&change);
}

/* Waits for the next request. */
static void wait_for_request(int device)
{
	struct pollfd ready = { .fd = device, .events = POLLIN };

	while (change.waits && poll(&ready, 1, 20) == 0)
		if (now_ms() > change.until)
			release(&change);
}
