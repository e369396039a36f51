#define _GNU_SOURCE
#include "answer/files/script.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Until it is given to the command. */
static atomic_int script = -1;

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)

int keep_script(const struct options *options)
{
	if (!options->script)
		return 0;
	int file = memfd_create("script", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (file < 0)
		return -errno;
	for (const char *left = options->script; *left;) {
		ssize_t written = write(file, left, strlen(left));
		if (written <= 0) {
			close(file);
			return -EIO;
		}
		left += written;
	}
	if (fcntl(file, F_ADD_SEALS, SEALS) < 0 || lseek(file, 0, SEEK_SET) < 0) {
		close(file);
		return -EIO;
	}
	atomic_store(&script, file);
	return 0;
}

int answer_script(const struct call *call)
{
	const char *name = call->watch->options->script_name;
	char path[PATH_MAX];

	if (atomic_load(&script) < 0 || call->task.pid != call->watch->command)
		return CONTINUE;
	const int argument = call->data->nr == __NR_openat ? 1 : 0;
	if (read_string(&call->task, call->data->args[argument], path, sizeof(path)) < 0 || strcmp(path, name) != 0 ||
	    !still_waits(call))
		return CONTINUE;
	const int file = atomic_exchange(&script, -1);
	return file < 0 ? CONTINUE : give_descriptor(call, file, 0);
}
