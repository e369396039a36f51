/* A folder whose files belong to no user: root has no more rights on them than any other user. */
#ifndef ION_OWNERLESS_H
#define ION_OWNERLESS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Mount `path` (no symlink on the way) onto itself as an idmapped mount that maps no owner. For each access the kernel then uses
 * the file's mode for others, because CAP_DAC_OVERRIDE counts only where a file's owner is mapped. This holds even for files that
 * another process makes, replaces or closes later. Mounts below it are included where their file systems allow it, else they stay
 * as they are.
 *
 * Uses system calls and its stack only: the addon calls it in a child that shares its memory.
 *
 * Returns 0 or -errno: -EINVAL for a file system without idmapped mounts, -ENOSYS before Linux 5.12, -EPERM where the file system
 * belongs to another user namespace. Source: capable_wrt_inode_uidgid() in kernel/capability.c,
 * Documentation/filesystems/idmappings.rst. */
int mount_ownerless(const char *path);

#ifdef __cplusplus
}
#endif

#endif
