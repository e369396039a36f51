#define _GNU_SOURCE
#include "write_rules.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "devices.h"
#include "hash.h"
#include "lists.h"
#include "nested.h"
#include "report.h"

/* Does a protected path that is not there lie below? A folder that is put there could bring it along, and so could a link to one. */
static bool holds_absent(const struct options *options, const char *path, bool link)
{
	for (const char *const *absent = options->absent; *absent; absent++) {
		/* A link to the packages of another project is everyday work: what comes with it is told afterwards. */
		if (link && strstr(*absent, "/node_modules/.bin/"))
			continue;
		if (is_within(*absent, path))
			return true;
	}
	return false;
}

bool is_own_config(const struct options *options, const char *path)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/');

	if (!options->nested_config || !slash || strcmp(slash, "/config") != 0)
		return false;
	memcpy(folder, path, (size_t)(slash - path));
	folder[slash - path] = '\0';
	return is_listed(options->git_folders, folder);
}

const char *refused_by(const struct options *options, const char *path, enum use use, bool arrives)
{
	/* /dev/null may be written by all; its mode is the whole machine's. */
	bool device = use != ATTRIBUTE && use != LINK_ATTRIBUTE &&
		      (find_root(options->devices, path) || is_own_terminal(options, path));
	if (!device && !find_root(options->writable, path))
		return use != READ ? "outside" : find_root(options->readable, path) ? NULL : "unreadable";
	if (use == READ)
		return NULL;
	if (find_root(options->readonly, path) || find_root(options->absent, path))
		return "protected";
	/* Moving or removing a folder that holds protected files. */
	if (use >= NEW && is_listed(options->pinned, path))
		return "protected";
	/* A repository below may be removed with all that is in it; a config that is renamed onto is looked at (replace.c). */
	enum guard guard = use < ENTRY || arrives ? guard_of(options, path) : UNGUARDED;
	bool brings = arrives || use == NEW_LINK;
	/* A folder of that name is no config: one of a submodule's, `packages/config`. */
	if (guard == HOOK || (guard == CONFIG && !arrives && use != NEW_FOLDER) || (guard == HOLDER && brings))
		return "protected";
	if (brings && holds_absent(options, path, use == NEW_LINK))
		return "protected";
	if (use == ENTRY && !arrives && is_own_config(options, path))
		return "protected";
	return NULL;
}

/* By hash: of two that collide one is told, which somebody would have to find for a random number of ours. When the table is full
 * nothing is left out; what is too much for ion's queue is counted there. */
static bool is_first_time(const char *path)
{
	static uint64_t seen[4096], key;

	if (!key && getrandom(&key, sizeof(key), GRND_NONBLOCK) != sizeof(key))
		return true;
	uint64_t hash = hash_text(key, path);
	for (size_t i = 0; i < 8; i++) {
		uint64_t *slot = &seen[(hash + i) % (sizeof(seen) / sizeof(seen[0]))];
		if (*slot == hash)
			return false;
		if (!*slot) {
			*slot = hash;
			return true;
		}
	}
	return true;
}

void tell_touched(const struct call *call, const char *path, enum use use)
{
	static bool told[256];
	const char **watched = call->watch->options->watched;

	for (size_t i = 0; watched[i] && i < sizeof(told); i++) {
		if (told[i] || !(is_within(path, watched[i]) || (use == ENTRY && is_within(watched[i], path))))
			continue;
		told[i] = true;
		report_touched(call->watch->control, watched[i]);
	}
	char new[PATH_MAX];
	if (is_to_be_told(path, new) && is_first_time(new))
		report_touched(call->watch->control, new);
}

bool user_could(const char *path, bool exists, enum use use)
{
	char folder[PATH_MAX];

	if (exists && (use == ATTRIBUTE || use == LINK_ATTRIBUTE)) {
		struct stat info;
		if (geteuid() == 0 || (lstat(path, &info) == 0 && info.st_uid == geteuid()))
			return true;
	}
	if (exists && use < NEW)
		return faccessat(AT_FDCWD, path, use == READ ? R_OK : W_OK, AT_EACCESS) == 0;
	strcpy(folder, path);
	char *slash = strrchr(folder, '/');
	if (!slash)
		return false;
	*(slash == folder ? slash + 1 : slash) = '\0';
	return faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) == 0;
}
