#include "answer/net/senders.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#define SENDERS_MAX 256

struct sender {
	pid_t pid;
	uint16_t port; /* 0: a connection */
	struct endpoint to;
};

/* The oldest is overwritten. */
static struct {
	pthread_mutex_t lock;
	struct sender list[SENDERS_MAX];
	size_t next;
} senders = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void remember(struct sender sender)
{
	pthread_mutex_lock(&senders.lock);
	senders.list[senders.next] = sender;
	senders.next = (senders.next + 1) % SENDERS_MAX;
	pthread_mutex_unlock(&senders.lock);
}

void remember_sender(pid_t pid, uint16_t port)
{
	if (port)
		remember((struct sender){ .pid = pid, .port = port });
}

void remember_connection(pid_t pid, const struct endpoint *to)
{
	remember((struct sender){ .pid = pid, .to = *to });
}

static bool is_same(const struct sender *one, const struct sender *other)
{
	return one->port == other->port && one->to.port == other->to.port &&
	       memcmp(&one->to.host, &other->to.host, sizeof(one->to.host)) == 0;
}

static pid_t find(const struct sender *wanted)
{
	pid_t found = 0;

	pthread_mutex_lock(&senders.lock);
	for (size_t back = 1; back <= SENDERS_MAX && !found; back++) {
		const struct sender *sender = &senders.list[(senders.next + SENDERS_MAX - back) % SENDERS_MAX];
		if (sender->pid && is_same(sender, wanted))
			found = sender->pid;
	}
	pthread_mutex_unlock(&senders.lock);
	return found;
}

pid_t sender_from_port(uint16_t port)
{
	return find(&(struct sender){ .port = port });
}

pid_t sender_to(const struct endpoint *to)
{
	return find(&(struct sender){ .to = *to });
}
