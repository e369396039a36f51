/* A second thread changes a call while the supervisor checks it. It swaps the address, or the socket behind the descriptor, all the
 * time. Exits with 0 as soon as one of some thousand tries (or of the tries within PATIENCE_S seconds) succeeded.
 *
 * usage: loopback-race connect PORT   to a server outside, on this port of 127.0.0.1
 *        loopback-race bind|listen    at an address that is not of the loopback */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define TRIES 3000
#define FD 100

static volatile struct sockaddr_in address;
static volatile in_port_t ports[2];
static volatile in_addr_t hosts[2];
static volatile sa_family_t families[2] = { AF_INET, AF_INET };
static volatile int sockets[2] = { -1, -1 };

static void *swap(void *unused)
{
	for (unsigned i = 0;; i++) {
		address.sin_family = families[i & 1];
		address.sin_port = ports[i & 1];
		address.sin_addr.s_addr = hosts[i & 1];
		if (sockets[0] >= 0)
			dup2(sockets[(i >> 1) & 1], FD);
	}
	return unused;
}

static int make(int family)
{
	int fd = socket(family, SOCK_STREAM, 0);

	if (fd < 0) {
		perror("socket");
		exit(2);
	}
	return fd;
}

static struct sockaddr_in name_of(int fd, int (*get)(int, struct sockaddr *, socklen_t *))
{
	struct sockaddr_in name = { 0 };
	socklen_t length = sizeof(name);

	if (get(fd, (struct sockaddr *)&name, &length) < 0)
		memset(&name, 0, sizeof(name));
	return name;
}

static int own_listener(void)
{
	struct sockaddr_in own = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = make(AF_INET);

	if (bind(fd, (struct sockaddr *)&own, sizeof(own)) < 0 || listen(fd, 4096) < 0) {
		perror("own listener");
		exit(2);
	}
	ports[0] = name_of(fd, getsockname).sin_port;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

/* Waits for a varying time, so that the thread may be anywhere, also on one processor. */
static void wait_a_bit(void)
{
	static unsigned seed = 1;

	sched_yield();

	seed = seed * 1103515245 + 12345;
	for (volatile unsigned i = (seed >> 16) % 5000; i > 0; i--)
		;
}

static bool is_beyond(struct sockaddr_in name)
{
	return name.sin_port != 0 && ntohl(name.sin_addr.s_addr) >> 24 != 127;
}

static bool try_connect(int listener)
{
	int first = make(AF_INET), second = make(AF_INET);
	bool through = false;

	/* The swapping thread may be between the read and dup2, where it would act on a closed descriptor: EBADF. */
	dup2(first, FD);
	sockets[1] = second;
	sockets[0] = first;
	wait_a_bit();
	(void)connect(FD, (struct sockaddr *)&address, sizeof(address));
	sockets[0] = -1;
	through = name_of(first, getpeername).sin_port == ports[1] || name_of(second, getpeername).sin_port == ports[1];
	close(first);
	close(second);
	for (int got; (got = accept(listener, NULL, NULL)) >= 0;)
		close(got);
	return through;
}

static bool try_server(bool listens)
{
	struct sockaddr_un nowhere = { .sun_family = AF_UNIX };
	int internet = make(AF_INET), local = make(AF_UNIX);

	if (listens)
		(void)bind(local, (struct sockaddr *)&nowhere, sizeof(sa_family_t));
	dup2(local, FD);
	sockets[1] = internet;
	sockets[0] = local;
	wait_a_bit();
	if (listens)
		(void)listen(FD, 1);
	else
		(void)bind(FD, (struct sockaddr *)&address, sizeof(address));
	sockets[0] = -1;
	bool through = is_beyond(name_of(internet, getsockname));
	close(internet);
	close(local);
	return through;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	bool connects = strcmp(what, "connect") == 0 && argc > 2;
	pthread_t thread;
	int listener = -1;

	if (!connects && strcmp(what, "bind") != 0 && strcmp(what, "listen") != 0)
		return 2;
	hosts[0] = hosts[1] = htonl(INADDR_LOOPBACK);
	if (connects) {
		listener = own_listener();
		ports[1] = htons((in_port_t)atoi(argv[2]));
	} else {
		/* No address (unnamed) for one family, any address for the other. */
		hosts[1] = 0;
		families[0] = AF_UNIX;
	}
	if (pthread_create(&thread, NULL, swap, NULL) != 0)
		return 2;
	/* On a busy machine both threads may share a processor for that long. A caller sets more seconds if it knows that the race
	 * can be won. */
	const char *patience = getenv("PATIENCE_S");
	time_t end = time(NULL) + (patience ? atoi(patience) : 0);
	bool through = false;
	for (int i = 0; !through && (i < TRIES || time(NULL) < end); i++)
		through = connects ? try_connect(listener) : try_server(*what == 'l');
	return through ? 0 : 1;
}
