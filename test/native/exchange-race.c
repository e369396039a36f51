/* Renames `in/x` to `out`, across a pinned folder, while another thread constantly exchanges `in/x`, a file, with the
 * folder `in/d`. The moved entry must be the checked one. Exits with 0 when the folder has moved, 1 when it has not within
 * the given seconds. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static volatile int over;

static void *exchange(void *unused)
{
	(void)unused;
	while (!over)
		renameat2(AT_FDCWD, "in/x", AT_FDCWD, "in/d", RENAME_EXCHANGE);
	return NULL;
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 3);
	struct stat info;
	pthread_t thread;

	if (pthread_create(&thread, NULL, exchange, NULL) != 0)
		return 2;
	while (time(NULL) < end) {
		if (rename("in/x", "out") < 0)
			continue;
		if (stat("out", &info) == 0 && S_ISDIR(info.st_mode))
			break;
		rename("out", "in/x");
	}
	over = 1;
	pthread_join(thread, NULL);
	return stat("out", &info) < 0 || !S_ISDIR(info.st_mode);
}
