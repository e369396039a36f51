/* Executed files, identified by content and not by name. `fd` may be O_PATH. */
#ifndef ION_PROGRAM_IDENTITY_H
#define ION_PROGRAM_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>

/* Whether `fd` is the file at `path`, or a copy of it. Same inode: a symlink or hard link. Same size: compares the bytes. */
bool is_same_program(int fd, const char *path);

/* The interpreter that `#!` names, or false. The kernel reads 256 bytes. */
bool read_interpreter(int fd, char interpreter[256]);

/* Whether it is a dynamic loader, under any name. A loader executes another file itself. The ELF header decides: a loader is
 * position independent, has no interpreter of its own, and is not marked as a program. A copy with changed bytes is not
 * recognised, nor is a loader that the user has written. */
bool is_loader(int fd);

/* Whether the file contains the first `length` characters of `name` as a separate string. A multi-call program contains the
 * names of all its applets. True if the file cannot be read, and false for a pattern. */
bool holds_name(int fd, const char *name, size_t length);

#endif
