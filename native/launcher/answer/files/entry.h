/* A name in a folder that is held open, so that a call changes the file that was checked. */
#ifndef ION_ENTRY_H
#define ION_ENTRY_H

struct entry {
	int folder; /* -1: none */
	const char *name;
};
#define NO_ENTRY { -1, NULL }

/* `path` in the launcher's view. Fails if a component has become a symlink since it was resolved: another process swapped it.
 * Returns 0 or -errno. */
int open_entry(const char *path, struct entry *entry);

void close_entry(const struct entry *entry);

#endif
