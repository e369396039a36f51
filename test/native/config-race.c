/* Renames `plain`, an allowed change of a git config, onto `below/.git/config`, while many other threads exchange it with
 * `evil`, a change that is not allowed. With many threads, one of them may pause between the supervisor's answer and its
 * call. Exits with 0 when the forbidden change is in the config, 1 when it is not within the given seconds. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define THREADS 40
#define CONFIG "below/.git/config"
#define PLAIN "[core]\n\tbare = false\n"
#define EVIL PLAIN "\tfsmonitor = evil\n"

static volatile int over;

static void put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		_exit(2);
	close(fd);
}

static void *exchange(void *unused)
{
	(void)unused;
	while (!over)
		renameat2(AT_FDCWD, "plain", AT_FDCWD, "evil", RENAME_EXCHANGE);
	return NULL;
}

static int is_evil(void)
{
	char text[4096] = "";
	int fd = open(CONFIG, O_RDONLY);

	if (fd >= 0 && read(fd, text, sizeof(text) - 1) < 0)
		return 0;
	close(fd);
	return strstr(text, "evil") != NULL;
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 3);
	pthread_t threads[THREADS];

	put("evil", EVIL);
	put("plain", PLAIN);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, exchange, NULL) != 0)
			return 2;
	while (time(NULL) < end && !is_evil()) {
		if (rename("plain", CONFIG) < 0)
			continue;
		put("plain.new", PLAIN);
		put("evil.new", EVIL);
		rename("evil.new", "evil");
		rename("plain.new", "plain");
	}
	over = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return !is_evil();
}
