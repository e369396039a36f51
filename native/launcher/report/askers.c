#define _GNU_SOURCE
#include "report/askers.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel_abi.h"

/* Each needs a descriptor of the launcher until the end. */
#define ASKERS_MAX 64

/* Linux 6.13: include/uapi/linux/pidfd.h. A pidfd that was opened before shows the exit code after the process was reaped
 * (PIDFD_INFO_EXIT, Linux 6.15). */
struct exit_info {
	uint64_t mask;
	uint64_t cgroupid;
	uint32_t ids[11];
	int32_t exit_code;
};
#define INFO_EXIT (1u << 3)
#define GET_INFO _IOWR(0xFF, 11, struct exit_info)

static atomic_int askers[ASKERS_MAX]; /* pidfd + 1; 0: none */

void remember_asker(size_t number, pid_t process)
{
	if (number < ASKERS_MAX && process > 0)
		askers[number] = (int)syscall(__NR_pidfd_open, process, 0) + 1;
}

bool asker_failed(size_t number)
{
	struct exit_info info = { .mask = INFO_EXIT };

	if (number >= ASKERS_MAX || askers[number] == 0)
		return false;
	return ioctl(askers[number] - 1, GET_INFO, &info) == 0 && (info.mask & INFO_EXIT) && info.exit_code != 0;
}
