/* The room that the file systems which a run writes to have lost since it began. */
#ifndef ION_DISK_H
#define ION_DISK_H

#include <stddef.h>
#include <stdint.h>

struct disk {
	struct disk_root {
		int fd; /* O_PATH, or a stream: whatever a command renames, it is this file system that is asked */
		uint64_t free_bytes;
	} *roots;
	size_t length;
};

/* Remember how much room there is below each of `paths`, NULL-terminated, and where the standard streams are files. Returns 0 or -errno: a root that cannot be asked
 * would be one without a limit. */
int open_disk(const char **paths, struct disk *disk);

/* Bytes that the file system which lost most has less now. Not added up: two roots may share one, and subvolumes that do
 * have different numbers. Free blocks, so holes in files take nothing, and a file that is removed gives back. */
uint64_t lost_bytes(const struct disk *disk);

void close_disk(struct disk *disk);

#endif
