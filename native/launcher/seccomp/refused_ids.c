/* Other users and groups. In a user namespace that maps one of each the kernel returns EINVAL for every other number, and outside
 * it returns EPERM to a process without capabilities. Here it is as outside. */
#include <errno.h>
#include <stdbool.h>
#include <sys/syscall.h>

#include "seccomp/filter_rows.h"

static const struct {
	int nr;
	unsigned char arguments;
	bool groups;
} calls[] = {
	{ __NR_setuid, 1, false },   { __NR_setgid, 1, true },	  { __NR_setreuid, 2, false },
	{ __NR_setregid, 2, true },  { __NR_setresuid, 3, false }, { __NR_setresgid, 3, true },
};

#define ROWS_MAX 12

struct rows refused_ids(unsigned user, unsigned group)
{
	static struct row list[ROWS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		for (unsigned char argument = 0; argument < calls[i].arguments; argument++) {
			/* -1 means "unchanged", or has no user in any namespace. */
			struct row row = WHEN(calls[i].nr, EPERM, ARG_IS_NOT(argument, ALL),
					      ARG_IS_NOT(argument, calls[i].groups ? group : user));
			list[count++] = row;
		}
	return (struct rows){ list, count };
}
