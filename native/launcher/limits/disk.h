/* The free space that file systems have lost since the run began to write to them. */
#ifndef ION_DISK_H
#define ION_DISK_H

#include <stddef.h>
#include <stdint.h>

struct disk {
	struct disk_root {
		int fd; /* O_PATH, or a stream: it stays on this file system, whatever a command renames */
		uint64_t free_bytes;
	} *roots;
	size_t length;
};

/* Remember the free space below each of `paths`, NULL-terminated, and of standard streams that are files. Returns 0 or -errno:
 * a root that cannot be examined would have no limit. */
int open_disk(const char **paths, struct disk *disk);

/* The bytes lost by the file system that lost most. Not added up: two roots may share one, and subvolumes that share one have
 * different numbers. Counts free blocks: holes in files take no space, and a removed file returns its own. */
uint64_t lost_bytes(const struct disk *disk);

void close_disk(struct disk *disk);

#endif
