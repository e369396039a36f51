/* The ioctl(2) requests that may reach a driver or a file system. A request works on a descriptor that may be open for reading
 * only, so neither Landlock nor a mount sees it: file systems create subvolumes, snapshots and links by their own requests
 * (btrfs 0x94, bcachefs 0xbc, ocfs2 'o'). Hence a list of known, harmless requests. The refusals of refused_calls.c come
 * first. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/fs.h>

#include "seccomp/filter_rows.h"

/* _IOC_TYPE: the driver or the subsystem that defines the request. */
#define TYPE_BITS 0xff00u
#define TYPE(letter) WHEN(__NR_ioctl, ALLOW, ARG_MASKED(1, TYPE_BITS, (unsigned)(letter) << 8))
#define REQUEST(value) WHEN(__NR_ioctl, ALLOW, ARG_IS(1, (unsigned)(value)))

static const struct row types[] = {
	TYPE('T'),  /* terminals; for all descriptors FIONREAD, FIONBIO, FIOCLEX; timers */
	TYPE(0x89), /* sockets and network interfaces */
	TYPE('f'),  /* flags, extents, verity and encryption of a file */
	TYPE('X'),  /* extended flags */
	TYPE('v'),  /* the generation of a file */
	TYPE(0x15), /* the UUID of a file system */
	TYPE('r'),  /* attributes and short names of FAT */
	TYPE(0x8a), /* epoll */
	TYPE(0xff), /* pidfd */
	TYPE('!'),  /* seccomp: ion in ion */
	TYPE('R'),  /* random numbers */
	TYPE('K'),  /* keyboard and screen of a virtual console */
	TYPE('V'),  /* virtual consoles */
	REQUEST(FIBMAP),
	REQUEST(FIGETBSZ),
	/* btrfs's type, but for every file system. */
	REQUEST(FICLONE),
	REQUEST(FICLONERANGE),
	REQUEST(FIDEDUPERANGE),
	REQUEST(FS_IOC_GETFSLABEL),
	/* All other btrfs requests, with CAP_SYS_ADMIN too: mounts and paths define which files are writable, hidden and
	 * protected. */
	WHEN(__NR_ioctl, EPERM, ARG_MASKED(1, TYPE_BITS, 0x9400)),
};
const struct rows known_requests = ROWS(types);

/* This is the answer of a file or device that does not know the request. */
static const struct row others[] = { ALWAYS(__NR_ioctl, ENOTTY) };
const struct rows other_requests = ROWS(others);
