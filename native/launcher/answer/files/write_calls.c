#define _GNU_SOURCE
#include "answer/files/write_calls.h"

#include <stddef.h>
#include <sys/syscall.h>

#include "base/kernel_abi.h"

static const struct write_call calls[] = {
	{ __NR_mkdirat, CHANGES, { { 1, 2, 0, NEW_FOLDER } } },
	{ __NR_mknodat, CHANGES, { { 1, 2, 0, NEW } } },
	{ __NR_unlinkat, REMOVES, { { 1, 2, 0, ENTRY } } },
	{ __NR_renameat, RENAMES, { { 1, 2, 0, ENTRY }, { 3, 4, 0, ENTRY } } },
	{ __NR_renameat2, RENAMES, { { 1, 2, 0, ENTRY }, { 3, 4, 0, ENTRY } } },
	{ __NR_linkat, LINKS, { { 1, 2, 5, WRITE }, { 3, 4, 0, NEW } } },
	{ __NR_symlinkat, CHANGES, { { 2, 3, 0, NEW_LINK } } },
	{ __NR_truncate, CHANGES, { { 0, 1, 0, WRITE } } },
	{ __NR_fchmodat, CHANGES, { { 1, 2, 0, ATTRIBUTE } } },
	{ __NR_fchmodat2, CHANGES, { { 1, 2, 4, ATTRIBUTE } } },
	{ __NR_fchownat, CHANGES, { { 1, 2, 5, ATTRIBUTE } } },
	{ __NR_utimensat, CHANGES, { { 1, 2, 4, ATTRIBUTE } } },
	{ __NR_setxattr, CHANGES, { { 0, 1, 0, ATTRIBUTE } } },
	{ __NR_lsetxattr, CHANGES, { { 0, 1, 0, LINK_ATTRIBUTE } } },
	{ __NR_setxattrat, CHANGES, { { 1, 2, 3, ATTRIBUTE } } },
	{ __NR_removexattr, CHANGES, { { 0, 1, 0, ATTRIBUTE } } },
	{ __NR_lremovexattr, CHANGES, { { 0, 1, 0, LINK_ATTRIBUTE } } },
	{ __NR_removexattrat, CHANGES, { { 1, 2, 3, ATTRIBUTE } } },
	{ __NR_file_setattr, CHANGES, { { 1, 2, 5, ATTRIBUTE } } },
	{ __NR_fchmod, CHANGES, { { 1, 0, 0, ATTRIBUTE } } },
	{ __NR_fchown, CHANGES, { { 1, 0, 0, ATTRIBUTE } } },
	{ __NR_fsetxattr, CHANGES, { { 1, 0, 0, ATTRIBUTE } } },
	{ __NR_fremovexattr, CHANGES, { { 1, 0, 0, ATTRIBUTE } } },
	{ __NR_ioctl, CHANGES, { { 1, 0, 0, ATTRIBUTE } } },
#ifdef __NR_open
	{ __NR_creat, CHANGES, { { 0, 1, 0, CREATE } } },
	{ __NR_mkdir, CHANGES, { { 0, 1, 0, NEW_FOLDER } } },
	{ __NR_mknod, CHANGES, { { 0, 1, 0, NEW } } },
	{ __NR_rename, RENAMES, { { 0, 1, 0, ENTRY }, { 0, 2, 0, ENTRY } } },
	{ __NR_link, LINKS, { { 0, 1, 0, WRITE }, { 0, 2, 0, NEW } } },
	{ __NR_symlink, CHANGES, { { 0, 2, 0, NEW_LINK } } },
	{ __NR_unlink, REMOVES, { { 0, 1, 0, ENTRY } } },
	{ __NR_rmdir, REMOVES_FOLDER, { { 0, 1, 0, ENTRY } } },
	{ __NR_chmod, CHANGES, { { 0, 1, 0, ATTRIBUTE } } },
	{ __NR_chown, CHANGES, { { 0, 1, 0, ATTRIBUTE } } },
	{ __NR_lchown, CHANGES, { { 0, 1, 0, LINK_ATTRIBUTE } } },
	{ __NR_utime, CHANGES, { { 0, 1, 0, ATTRIBUTE } } },
	{ __NR_utimes, CHANGES, { { 0, 1, 0, ATTRIBUTE } } },
	{ __NR_futimesat, CHANGES, { { 1, 2, 0, ATTRIBUTE } } },
#endif
};

const struct write_call *find_write_call(int nr)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].nr == nr)
			return &calls[i];
	return NULL;
}
