/* Renames `src` to a harmless name that a second thread changes to `.vscode` between the supervisor's check and the
 * kernel's call, until the rename succeeds. Exits with 1 when that has not happened within a minute. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Both names are eight bytes with their NUL, so one store replaces the whole name. Otherwise the kernel could read a
 * mixture. */
static volatile uint64_t name;
static volatile int over;

static uint64_t bytes_of(const char text[8])
{
	uint64_t bytes;

	memcpy(&bytes, text, sizeof(bytes));
	return bytes;
}

static void *change(void *unused)
{
	(void)unused;
	for (unsigned pause = 1; !over; pause = pause % 4000 + 7) {
		name = bytes_of("another");
		for (volatile unsigned i = 0; i < pause; i++)
			;
		name = bytes_of(".vscode");
		for (volatile unsigned i = 0; i < pause; i++)
			;
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;
	time_t end = time(NULL) + 60;

	name = bytes_of("another");
	if (pthread_create(&thread, NULL, change, NULL) != 0)
		return 2;
	while (access(".vscode", F_OK) < 0 && time(NULL) < end)
		if (rename("src", (const char *)&name) == 0)
			rename("another", "src");
	over = 1;
	pthread_join(thread, NULL);
	return access(".vscode", F_OK) < 0;
}
