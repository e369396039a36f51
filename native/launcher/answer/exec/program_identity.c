#define _GNU_SOURCE
#include "answer/exec/program_identity.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Open the file behind an O_PATH descriptor for reading. Only a regular file: the other end of a FIFO would notice, and
 * opening a device could have any effect. NONBLOCK: a lease on the file must not block the supervisor. */
static int open_regular(int fd)
{
	struct stat info;
	char link[64];

	if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode))
		return -EINVAL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	int file = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return file < 0 ? -errno : file;
}

/* Reads, and does not map: a file that shrinks meanwhile would kill the reader of a mapping. */
static bool same_bytes(int a, int b)
{
	char one[16384], other[16384];

	for (off_t at = 0;;) {
		ssize_t count = pread(a, one, sizeof(one), at);
		if (count < 0 || pread(b, other, sizeof(other), at) != count || memcmp(one, other, (size_t)count) != 0)
			return false;
		if (count == 0)
			return true;
		at += count;
	}
}

bool is_same_program(int fd, const char *path)
{
	struct stat ours, denied;

	if (fstat(fd, &ours) < 0 || stat(path, &denied) < 0)
		return false;
	if (ours.st_dev == denied.st_dev && ours.st_ino == denied.st_ino)
		return true;
	if (ours.st_size != denied.st_size || ours.st_size == 0)
		return false;
	int a = open_regular(fd), b = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	/* A file that cannot be read, because of its mode or a lease on it, counts as a match. */
	bool same = a >= 0 && b >= 0 ? same_bytes(a, b) : S_ISREG(ours.st_mode);
	if (a >= 0)
		close(a);
	if (b >= 0)
		close(b);
	return same;
}

bool read_interpreter(int fd, char interpreter[256])
{
	char text[257];
	int file = open_regular(fd);

	if (file < 0)
		return false;
	ssize_t length = read(file, text, sizeof(text) - 1);
	close(file);
	if (length < 3 || text[0] != '#' || text[1] != '!')
		return false;
	text[length] = '\0';
	text[strcspn(text, "\n")] = '\0';
	char *start = text + 2 + strspn(text + 2, " \t");
	strcpy(interpreter, start);
	return *interpreter != '\0';
}

#define SEGMENTS_MAX 32
#define ENTRIES_MAX 64

/* DF_1_PIE marks a static program that is position independent; the loader, a library, has no such mark. */
static bool is_marked_program(int file, const ElfW(Phdr) *dynamic)
{
	ElfW(Dyn) entries[ENTRIES_MAX];
	ssize_t length = pread(file, entries, sizeof(entries), (off_t)dynamic->p_offset);

	for (ssize_t i = 0; i < length / (ssize_t)sizeof(entries[0]) && entries[i].d_tag != DT_NULL; i++)
		if (entries[i].d_tag == DT_FLAGS_1)
			return entries[i].d_un.d_val & DF_1_PIE;
	return false;
}

static bool is_loader_image(int file)
{
	ElfW(Ehdr) header;
	ElfW(Phdr) segments[SEGMENTS_MAX];
	const ElfW(Phdr) *dynamic = NULL;

	if (pread(file, &header, sizeof(header), 0) != sizeof(header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_type != ET_DYN || header.e_phentsize != sizeof(segments[0]) || header.e_phnum > SEGMENTS_MAX)
		return false;
	size_t size = header.e_phnum * sizeof(segments[0]);
	if (pread(file, segments, size, (off_t)header.e_phoff) != (ssize_t)size)
		return false;
	for (int i = 0; i < header.e_phnum; i++) {
		if (segments[i].p_type == PT_INTERP)
			return false;
		if (segments[i].p_type == PT_DYNAMIC)
			dynamic = &segments[i];
	}
	return dynamic && !is_marked_program(file, dynamic);
}

bool is_loader(int fd)
{
	int file = open_regular(fd);

	if (file < 0)
		return file != -EINVAL; /* not readable: it may be one */
	bool loader = is_loader_image(file);
	close(file);
	return loader;
}

#define IMAGE_MAX (8u << 20)
#define NAME_MAX_BYTES 256

/* Reads in pieces that overlap, so that a text across two of them is found. */
static bool holds_text(int file, const char *text, size_t length)
{
	char piece[32768 + NAME_MAX_BYTES];
	size_t kept = 0, size = 0;
	ssize_t count;

	while (size < IMAGE_MAX && (count = read(file, piece + kept, sizeof(piece) - kept)) > 0) {
		size += (size_t)count;
		kept += (size_t)count;
		if (memmem(piece, kept, text, length))
			return true;
		size_t rest = kept < length - 1 ? kept : length - 1;
		memmove(piece, piece + kept - rest, rest);
		kept = rest;
	}
	return size >= IMAGE_MAX;
}

bool holds_name(int fd, const char *name, size_t length)
{
	char text[NAME_MAX_BYTES] = { '\0' };

	if (length == 0 || length + 2 > sizeof(text) || strcspn(name, "*?/") < length)
		return false;
	memcpy(text + 1, name, length); /* between two ends */
	int file = open_regular(fd);
	if (file < 0)
		return true;
	bool holds = holds_text(file, text, length + 2);
	close(file);
	return holds;
}
