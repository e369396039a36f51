#define _GNU_SOURCE
#include "caller.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "say.h"

#define DESCRIPTORS_FROM 3

void fill_streams(void)
{
	for (int fd = 0; fd < DESCRIPTORS_FROM; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
			give_up("cannot open /dev/null", NULL, NULL, NULL);
}

static const char *value_of(char *const *environment, const char *name)
{
	size_t length = strlen(name);

	for (; *environment; environment++)
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

/* Both ends of one pipe, in the right directions. Anything else could lead out of the sandbox: the caller chose the numbers. */
static bool is_one_pipe(const struct jobserver *pipe)
{
	struct stat reads, writes;

	if (fstat(pipe->reads, &reads) < 0 || fstat(pipe->writes, &writes) < 0)
		return false;
	if (!S_ISFIFO(reads.st_mode) || reads.st_dev != writes.st_dev || reads.st_ino != writes.st_ino)
		return false;
	return (fcntl(pipe->reads, F_GETFL) & O_ACCMODE) == O_RDONLY && (fcntl(pipe->writes, F_GETFL) & O_ACCMODE) == O_WRONLY;
}

/* make(1): `--jobserver-auth=R,W`, before 4.2 `--jobserver-fds=R,W`; the last one counts. A named pipe needs nothing. */
struct jobserver find_jobserver(char *const *environment)
{
	const struct jobserver none = { -1, -1 };
	struct jobserver found = none;
	const char *flags = value_of(environment, "MAKEFLAGS");

	for (const char *at = flags; at && (at = strstr(at, "--jobserver-")); at++) {
		const char *numbers = strchr(at, '=');
		struct jobserver named = none;

		if (!numbers || (strncmp(at, "--jobserver-auth=", 17) != 0 && strncmp(at, "--jobserver-fds=", 16) != 0))
			continue;
		found = sscanf(numbers, "=%6d,%6d", &named.reads, &named.writes) == 2 ? named : none;
	}
	return found.reads >= DESCRIPTORS_FROM && found.writes >= DESCRIPTORS_FROM && is_one_pipe(&found) ? found : none;
}

static void close_between(unsigned first, unsigned last)
{
	if (first > last || syscall(__NR_close_range, first, last, 0) == 0)
		return;
	/* Before Linux 5.9. */
	const long most = sysconf(_SC_OPEN_MAX);
	for (unsigned fd = first; fd <= last && (long)fd < most; fd++)
		close((int)fd);
}

void close_others(const struct jobserver *jobserver)
{
	const bool ordered = jobserver->reads < jobserver->writes;
	const int low = ordered ? jobserver->reads : jobserver->writes;
	const int high = ordered ? jobserver->writes : jobserver->reads;

	if (low < 0) {
		close_between(DESCRIPTORS_FROM, ~0u);
		return;
	}
	close_between(DESCRIPTORS_FROM, (unsigned)low - 1);
	close_between((unsigned)low + 1, (unsigned)high - 1);
	close_between((unsigned)high + 1, ~0u);
}

static struct {
	char bytes[64 * 1024];
	size_t length;
	int fd;
} buffer;

static void flush(void)
{
	for (size_t done = 0; done < buffer.length;) {
		ssize_t written = write(buffer.fd, buffer.bytes + done, buffer.length - done);
		if (written <= 0)
			give_up("cannot hand over the command: no memory is left", NULL, NULL, NULL);
		done += (size_t)written;
	}
	buffer.length = 0;
}

/* The size includes the NUL. */
static void add(const char *text)
{
	for (size_t left = strlen(text) + 1; left > 0;) {
		size_t room = sizeof(buffer.bytes) - buffer.length, part = left < room ? left : room;
		memcpy(buffer.bytes + buffer.length, text, part);
		buffer.length += part;
		text += part;
		left -= part;
		if (buffer.length == sizeof(buffer.bytes))
			flush();
	}
}

static void add_list(const char *name, char *const *list)
{
	char count[32];
	size_t length = 0;

	while (list[length])
		length++;
	snprintf(count, sizeof(count), "%s=%zu", name, length);
	add(count);
	for (size_t i = 0; i < length; i++)
		add(list[i]);
}

int hand_over(const char *program, const struct jobserver *jobserver, char *const *argv, char *const *environment)
{
	char numbers[64];

	buffer.fd = memfd_create("ion-caller", MFD_ALLOW_SEALING);
	if (buffer.fd < 0)
		give_up("cannot hand over the command: this system has no memfd_create(2)", NULL, NULL, NULL);
	add("ion-caller=1");
	add(program);
	snprintf(numbers, sizeof(numbers), "%d,%d", jobserver->reads, jobserver->writes);
	add(numbers);
	add_list("argv", argv);
	add_list("environment", environment);
	add("end");
	flush();
	if (fcntl(buffer.fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0 ||
	    lseek(buffer.fd, 0, SEEK_SET) < 0)
		give_up("cannot hand over the command: the file in memory cannot be sealed", NULL, NULL, NULL);
	return buffer.fd;
}

/* Names of a language, a terminal or a time zone. A path in one of these variables would make a library open a file. */
static bool is_plain(const char *value)
{
	size_t length = strlen(value);

	if (length == 0 || length > 64 || value[0] == '/' || strstr(value, ".."))
		return false;
	for (; *value; value++)
		if (!isalnum((unsigned char)*value) && !strchr("_.@+-/", *value))
			return false;
	return true;
}

static bool is_safe_name(const char *entry)
{
	static const char *const names[] = { "LANG=", "TERM=", "COLORTERM=", "NO_COLOR=", "TZ=" };

	if (strncmp(entry, "LC_", 3) == 0)
		return strspn(entry + 3, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == strcspn(entry + 3, "=");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(entry, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

char **safe_environment(char *const *environment)
{
	size_t length = 0, count = 0;

	while (environment[length])
		length++;
	char **safe = calloc(length + 1, sizeof(char *));
	if (!safe)
		give_up("no memory is left", NULL, NULL, NULL);
	for (size_t i = 0; i < length; i++) {
		const char *value = strchr(environment[i], '=');
		if (value && is_safe_name(environment[i]) && is_plain(value + 1))
			safe[count++] = environment[i];
	}
	return safe;
}
