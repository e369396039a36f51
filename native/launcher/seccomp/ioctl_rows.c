/* Which requests of ioctl(2) reach a driver or a file system. A request acts by a descriptor that may be open for reading only, so
 * neither Landlock nor a mount sees it: file systems make subvolumes, snapshots and links by requests of their own (btrfs 0x94,
 * bcachefs 0xbc, ocfs2 'o'). Hence a list of what is known and harmless; the refusals of refused_calls.c come before it. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/fs.h>

#include "seccomp/filter_rows.h"

/* _IOC_TYPE: the driver or the subsystem that defines the request. */
#define TYPE_BITS 0xff00u
#define TYPE(letter) WHEN(__NR_ioctl, ALLOW, ARG_MASKED(1, TYPE_BITS, (unsigned)(letter) << 8))
#define REQUEST(value) WHEN(__NR_ioctl, ALLOW, ARG_IS(1, (unsigned)(value)))

static const struct row types[] = {
	TYPE('T'),  /* terminals; of all descriptors FIONREAD, FIONBIO, FIOCLEX; timers */
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
	/* All others of btrfs, to whoever has CAP_SYS_ADMIN too: what is written, hidden and protected goes by mounts and paths. */
	WHEN(__NR_ioctl, EPERM, ARG_MASKED(1, TYPE_BITS, 0x9400)),
};
const struct rows known_requests = ROWS(types);

/* As of a file or device that does not know the request. */
static const struct row others[] = { ALWAYS(__NR_ioctl, ENOTTY) };
const struct rows other_requests = ROWS(others);
