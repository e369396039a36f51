/* Simulates an older Landlock for a process that calls it through libc's syscall(3), as ion's addon does: LD_PRELOAD this
 * with ION_TEST_ABI=n. It caps the version and refuses rights that this ABI lacks, as that kernel does. Rights that are not
 * handled are not restricted, which is the only other difference of an older kernel. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#define CREATE_RULESET 444

static const uint64_t files[] = { 0, 0x1fff, 0x3fff, 0x7fff, 0x7fff, 0xffff, 0xffff, 0xffff, 0xffff, 0x1ffff };

long syscall(long number, ...)
{
	static long (*real)(long, ...);
	va_list list;
	long a[6];

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	const char *text = getenv("ION_TEST_ABI");
	long abi = text ? atol(text) : 0;
	if (number != CREATE_RULESET || abi < 1 || abi > 9)
		return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (a[2] == 1) {
		long version = real(number, a[0], a[1], a[2]);
		return version > abi ? abi : version;
	}
	const uint64_t *attributes = (const uint64_t *)a[0];
	uint64_t net = a[1] > 8 ? attributes[1] : 0, scopes = a[1] > 16 ? attributes[2] : 0;
	if (a[0] && ((attributes[0] & ~files[abi]) || (abi < 4 && net) || (abi < 6 && scopes))) {
		errno = EINVAL;
		return -1;
	}
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
