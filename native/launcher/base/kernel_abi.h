/* Kernel constants that distribution headers may not have yet (Debian 12 ships those of Linux 6.1).
 * Values are UAPI: they never change. Source: include/uapi/linux/{landlock,seccomp,prctl}.h,
 * include/uapi/asm-generic/unistd.h. */
#ifndef ION_KERNEL_ABI_H
#define ION_KERNEL_ABI_H

#include <sys/syscall.h>

/* System calls above 424 have one number on every architecture. */
#ifndef __NR_pidfd_send_signal
#define __NR_pidfd_send_signal 424
#endif
#ifndef __NR_io_uring_setup
#define __NR_io_uring_setup 425
#define __NR_io_uring_enter 426
#define __NR_io_uring_register 427
#endif
#ifndef __NR_open_tree
#define __NR_open_tree 428
#define __NR_move_mount 429
#define __NR_fsopen 430
#define __NR_fsconfig 431
#define __NR_fsmount 432
#define __NR_fspick 433
#endif
#ifndef __NR_pidfd_open
#define __NR_pidfd_open 434
#endif
#ifndef __NR_clone3
#define __NR_clone3 435
#endif
#ifndef __NR_close_range
#define __NR_close_range 436
#endif
#ifndef __NR_openat2
#define __NR_openat2 437
#endif
#ifndef __NR_pidfd_getfd
#define __NR_pidfd_getfd 438
#endif
#ifndef __NR_process_madvise
#define __NR_process_madvise 440
#endif
#ifndef __NR_mount_setattr
#define __NR_mount_setattr 442
#endif
#ifndef __NR_quotactl_fd
#define __NR_quotactl_fd 443
#endif
#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#define __NR_landlock_add_rule 445
#define __NR_landlock_restrict_self 446
#endif
#ifndef __NR_memfd_secret
#define __NR_memfd_secret 447
#endif
#ifndef __NR_process_mrelease
#define __NR_process_mrelease 448
#endif
#ifndef __NR_fchmodat2
#define __NR_fchmodat2 452
#endif
#ifndef __NR_setxattrat
#define __NR_setxattrat 463
#define __NR_removexattrat 466
#endif
#ifndef __NR_open_tree_attr
#define __NR_open_tree_attr 467
#endif

#ifndef __NR_file_setattr
#define __NR_file_setattr 469
#endif

#ifndef PR_SCHED_CORE
#define PR_SCHED_CORE 62
#endif
#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE (1U << 1)
#endif

/* <linux/mount.h> of Debian 12 has these, but cannot be included beside <sys/mount.h>. */
#define ION_OPEN_TREE_CLONE 1u
#define ION_AT_RECURSIVE 0x8000u
#define ION_MOUNT_ATTR_RDONLY 0x00000001ull
#define ION_MOUNT_ATTR_NOSUID 0x00000002ull
#define ION_MOUNT_ATTR_NODEV 0x00000004ull
#define ION_MOUNT_ATTR_NOEXEC 0x00000008ull
#define ION_MOUNT_ATTR_IDMAP 0x00100000ull
#define ION_MOVE_MOUNT_F_EMPTY_PATH 0x00000004u
#define ION_MOVE_MOUNT_T_EMPTY_PATH 0x00000040u
#define ION_FSCONFIG_CMD_CREATE 6u

struct ion_mount_attr {
	unsigned long long attr_set, attr_clr, propagation, userns_fd;
};

#define ION_CLONE_INTO_CGROUP 0x200000000ull

#endif
