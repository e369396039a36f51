#define _GNU_SOURCE
#include "answer/exec/argv.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#define WORD_MAX 131072u /* MAX_ARG_STRLEN */
#define POINTERS (ARGV_PAGE / sizeof(uint64_t))

static uint64_t page_of(uint64_t address)
{
	return address & ~(uint64_t)(ARGV_PAGE - 1);
}

static size_t slot_of(uint64_t page)
{
	return page / ARGV_PAGE % ARGV_PAGES;
}

static bool has_page(const struct argv_pages *pages, uint64_t page)
{
	return pages->address[slot_of(page)] == page;
}

/* The pages in which these words begin, in one call. A missing page ends it. The word in that page is read alone, and fails. The
 * limit bounds the cost of words that are placed to defeat this. */
static void fetch_pages(const struct task *task, struct argv_pages *pages, const uint64_t *pointers, size_t count)
{
	struct iovec wanted[ARGV_PAGES];
	struct iovec local = { pages->fetched, sizeof(pages->fetched) };
	const size_t most = pages->allowance < 1 ? 1 : pages->allowance < ARGV_PAGES ? pages->allowance : ARGV_PAGES;
	uint64_t last = 0;
	size_t number = 0;

	for (size_t i = 0; i < count && number < most; i++) {
		uint64_t page = page_of(pointers[i]);
		if (page && page != last && !has_page(pages, page))
			wanted[number++] = (struct iovec){ (void *)(uintptr_t)(last = page), ARGV_PAGE };
	}
	if (number == 0)
		return;
	pages->allowance -= number < pages->allowance ? number : pages->allowance;
	ssize_t length = process_vm_readv(task->pid, &local, 1, wanted, number, 0);
	for (size_t i = 0; i < number && (ssize_t)((i + 1) * ARGV_PAGE) <= length; i++) {
		uint64_t page = (uint64_t)(uintptr_t)wanted[i].iov_base;
		memcpy(pages->bytes[slot_of(page)], pages->fetched[i], ARGV_PAGE);
		pages->address[slot_of(page)] = page;
	}
}

/* Reads the rest of the page from `address` on. */
static const char *look_in(const struct task *task, struct argv_pages *pages, uint64_t address, size_t *size)
{
	uint64_t page = page_of(address);

	if (!has_page(pages, page))
		fetch_pages(task, pages, &address, 1);
	if (!page || !has_page(pages, page))
		return NULL;
	*size = ARGV_PAGE - (address - page);
	return pages->bytes[slot_of(page)] + (address - page);
}

static int read_word(const struct task *task, struct argv_pages *pages, uint64_t address, struct command *command)
{
	size_t length = 0, size;

	while (length < WORD_MAX) {
		const char *bytes = look_in(task, pages, address + length, &size);
		if (!bytes)
			return -EFAULT;
		const char *end = memchr(bytes, '\0', size);
		if (end)
			size = (size_t)(end - bytes);
		if (!add_to_word(command, bytes, length, size))
			return -E2BIG;
		length += size;
		if (end)
			return end_word(command, length) ? 0 : -E2BIG;
	}
	return -E2BIG;
}

/* Reads up to the end of a page. Returns their number, or -errno. */
static ssize_t read_pointers(const struct task *task, uint64_t address, uint64_t pointers[POINTERS])
{
	size_t size = ARGV_PAGE - address % ARGV_PAGE;

	/* The array is not aligned, and its next pointer crosses the end of the page: read that pointer alone. */
	if (size < sizeof(*pointers))
		size = sizeof(*pointers);
	ssize_t length = read_memory(task, address, pointers, size / sizeof(*pointers) * sizeof(*pointers));
	return length < (ssize_t)sizeof(*pointers) ? -EFAULT : length / (ssize_t)sizeof(*pointers);
}

static size_t words_until_end(const uint64_t *pointers, size_t count)
{
	size_t words = 0;

	while (words < count && pointers[words])
		words++;
	return words;
}

/* Returns 1 at the end of the array, 0 when it goes on, or -errno. */
static int read_words(const struct task *task, struct argv_pages *pages, const uint64_t *pointers, size_t count,
		      struct command *command)
{
	const size_t words = words_until_end(pointers, count);

	for (size_t i = 0; i < words; i++) {
		if (!has_page(pages, page_of(pointers[i])))
			fetch_pages(task, pages, pointers + i, words - i);
		int error = read_word(task, pages, pointers[i], command);
		if (error)
			return error;
		pages->allowance++;
	}
	return words < count;
}

int read_argv(const struct task *task, uint64_t address, struct argv_pages *pages, struct command *command)
{
	uint64_t pointers[POINTERS];
	int result = 0;

	memset(pages->address, 0, sizeof(pages->address));
	pages->allowance = ARGV_PAGES;
	while (address && result == 0) {
		ssize_t count = read_pointers(task, address, pointers);
		result = count < 0 ? (int)count : read_words(task, pages, pointers, (size_t)count, command);
		address += (uint64_t)(count > 0 ? count : 0) * sizeof(*pointers);
	}
	return result < 0 ? result : 0;
}
