/* Files that are executed, by what they are rather than by what they are called. `fd` may be O_PATH. */
#ifndef ION_PROGRAM_IDENTITY_H
#define ION_PROGRAM_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>

/* Is `fd` the file at `path`, or a copy of it? Same inode: a symlink or hard link. Same size: compare the bytes. */
bool is_same_program(int fd, const char *path);

/* The interpreter that `#!` names, or false. The kernel looks at 256 bytes. */
bool read_interpreter(int fd, char interpreter[256]);

/* Is it a dynamic loader, under whatever name, which executes another file by itself? Told from its ELF header: position
 * independent, without an interpreter of its own, and not marked as a program. One who changes the copy's bytes gets past
 * this, as one who writes a loader of his own does. */
bool is_loader(int fd);

/* Does the file hold the first `length` characters of `name` as a text of their own, as a program that is many holds the names of all
 * that it is? Also when it cannot be read. Never for a pattern. */
bool holds_name(int fd, const char *name, size_t length);

#endif
