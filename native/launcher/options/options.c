#include "options/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DESCRIPTOR_MAX (1u << 20) /* Linux: the usual fs.nr_open */

/* A decimal number and nothing else: strtoull accepts blanks, signs and trailing text. */
static bool parse_number(const char *text, uint64_t *value)
{
	if (*text == '\0' || strspn(text, "0123456789") != strlen(text) || strlen(text) > 19)
		return false;
	*value = strtoull(text, NULL, 10);
	return true;
}

static bool parse_flag(const char *text, bool *value)
{
	if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
		return false;
	*value = *text == '1';
	return true;
}

static bool parse_report(const char *text, enum report *value)
{
	if (strcmp(text, "minimal") == 0)
		*value = REPORT_MINIMAL;
	else if (strcmp(text, "denials") == 0)
		*value = REPORT_DENIALS;
	else if (strcmp(text, "all") == 0)
		*value = REPORT_ALL;
	else
		return false;
	return true;
}

static bool parse_network(const char *text, enum network *value)
{
	if (strcmp(text, "none") == 0)
		*value = NETWORK_NONE;
	else if (strcmp(text, "loopback") == 0)
		*value = NETWORK_LOOPBACK;
	else if (strcmp(text, "full") == 0)
		*value = NETWORK_FULL;
	else
		return false;
	return true;
}

enum kind { NUMBER, FLAG, NETWORK, REPORT, TEXT, LIST, VERSION, END };

struct key {
	const char *name;
	enum kind kind;
	size_t offset;
	bool required; /* of a list: at least one */
};

#define FIELD(name) offsetof(struct options, name)

static const struct key keys[] = {
	{ "version", VERSION, 0, true },
	{ "confine", FLAG, FIELD(confine), true },
	{ "job", FLAG, FIELD(job), false },
	{ "landlock", FLAG, FIELD(landlock), true },
	{ "seccomp", FLAG, FIELD(seccomp), true },
	{ "listener", FLAG, FIELD(listener), true },
	{ "scoped", FLAG, FIELD(scoped), true },
	{ "tell_execs", FLAG, FIELD(report_execs), true },
	{ "unix_closed", FLAG, FIELD(unix_closed), true },
	{ "own_devices", FLAG, FIELD(own_devices), true },
	{ "own_shm", FLAG, FIELD(own_shm), true },
	{ "listed_devices", FLAG, FIELD(listed_devices), true },
	{ "pts_access", NUMBER, FIELD(pts_access), true },
	{ "shm_access", NUMBER, FIELD(shm_access), true },
	{ "report", REPORT, FIELD(report), true },
	{ "user_namespace", FLAG, FIELD(user_namespace), true },
	{ "mounts", FLAG, FIELD(mounts), true },
	{ "all_users", FLAG, FIELD(all_users), false },
	{ "view", FLAG, FIELD(view), false },
	{ "own_processes", FLAG, FIELD(own_processes), true },
	{ "proc_access", NUMBER, FIELD(proc_access), true },
	{ "network_namespace", FLAG, FIELD(network_namespace), true },
	{ "loopback", FLAG, FIELD(loopback), true },
	{ "network", NETWORK, FIELD(network), true },
	{ "relay", FLAG, FIELD(relay), false },
	{ "closed_servers", FLAG, FIELD(closed_servers), false },
	{ "net_allow", LIST, FIELD(network_allow), false },
	{ "net_deny", LIST, FIELD(network_deny), false },
	{ "name_server", LIST, FIELD(name_servers), false },
	{ "search_domain", LIST, FIELD(search_domains), false },
	{ "pinned_host", LIST, FIELD(pinned_hosts), false },
	{ "cwd", TEXT, FIELD(cwd), true },
	{ "inside", TEXT, FIELD(inside), false },
	{ "outer_config", TEXT, FIELD(outer_config), false },
	{ "script_name", TEXT, FIELD(script_name), false },
	{ "script", TEXT, FIELD(script), false },
	{ "jobserver_reads", NUMBER, FIELD(jobserver_reads), false },
	{ "jobserver_writes", NUMBER, FIELD(jobserver_writes), false },
	{ "writable", LIST, FIELD(writable), false },
	{ "view_root", LIST, FIELD(view_roots), false },
	{ "view_link", LIST, FIELD(view_links), false },
	{ "view_target", LIST, FIELD(view_targets), false },
	{ "pinned", LIST, FIELD(pinned), false },
	{ "readonly", LIST, FIELD(readonly), false },
	{ "masked", LIST, FIELD(masked), false },
	{ "ownerless", LIST, FIELD(ownerless), false },
	{ "owned", LIST, FIELD(owned), false },
	{ "executable", LIST, FIELD(executable), false },
	{ "noexec", LIST, FIELD(noexec), false },
	{ "absent", LIST, FIELD(absent), false },
	{ "denied", LIST, FIELD(denied), false },
	{ "denied_entry", LIST, FIELD(denied_entries), false },
	{ "excepted", LIST, FIELD(excepted), false },
	{ "excepted_from", LIST, FIELD(excepted_from), false },
	{ "nested_hooks", FLAG, FIELD(nested_hooks), false },
	{ "nested_config", FLAG, FIELD(nested_config), false },
	{ "git_folder", LIST, FIELD(git_folders), false },
	{ "watched", LIST, FIELD(watched), false },
	{ "shadowed", LIST, FIELD(shadowed), false },
	{ "shadow", LIST, FIELD(shadows), false },
	{ "device", LIST, FIELD(devices), false },
	{ "deny", LIST, FIELD(deny), false },
	{ "rule", LIST, FIELD(rules), false },
	{ "known_name", LIST, FIELD(known_names), false },
	{ "known_program", LIST, FIELD(known_programs), false },
	{ "global_flag", LIST, FIELD(global_flags), false },
	{ "global_value", LIST, FIELD(global_values), false },
	{ "global_end", LIST, FIELD(global_ends), false },
	{ "interpreter", LIST, FIELD(interpreters), false },
	{ "module", LIST, FIELD(modules), false },
	{ "multi_call", LIST, FIELD(multi_calls), false },
	{ "program", LIST, FIELD(programs), false },
	{ "program_folder", LIST, FIELD(program_folders), false },
	{ "held", LIST, FIELD(held), false },
	{ "readable", LIST, FIELD(readable), false },
	{ "unix_socket", LIST, FIELD(unix_sockets), false },
	{ "leftover", LIST, FIELD(cleanup), false },
	{ "open_files", NUMBER, FIELD(limits.open_files), false },
	{ "open_files_soft", NUMBER, FIELD(limits.open_files_soft), false },
	{ "file_size", NUMBER, FIELD(limits.file_size), false },
	{ "cpu_seconds", NUMBER, FIELD(limits.cpu_seconds), false },
	{ "memory", NUMBER, FIELD(limits.memory), false },
	{ "processes", NUMBER, FIELD(limits.processes), false },
	{ "disk", NUMBER, FIELD(limits.disk), false },
	{ "disk_root", LIST, FIELD(disk_roots), false },
	{ "cgroup", TEXT, FIELD(cgroup), false },
	{ "timeout_ms", NUMBER, FIELD(timeout_ms), false },
	{ "timeout_signal", NUMBER, FIELD(timeout_signal), false },
	{ "grace_ms", NUMBER, FIELD(grace_ms), true },
	{ "env", LIST, FIELD(environment), false },
	{ "arg", LIST, FIELD(argv), true },
	{ "end", END, 0, true },
};
#define KEYS (sizeof(keys) / sizeof(keys[0]))

static bool take(const struct key *key, char *value, struct options *options, size_t position)
{
	void *field = (char *)options + key->offset;

	switch (key->kind) {
	case NUMBER: return parse_number(value, field);
	case FLAG: return parse_flag(value, field);
	case NETWORK: return parse_network(value, field);
	case REPORT: return parse_report(value, field);
	case VERSION: return strcmp(value, OPTIONS_VERSION) == 0;
	case END: return strcmp(value, "1") == 0;
	case TEXT: *(char **)field = value; return true;
	case LIST: (*(char ***)field)[position] = value; return true;
	}
	return false;
}

/* The key of `key=value`, or NULL. Entries come roughly in the order of the keys: the search starts at the previous one. */
static const struct key *find_key(const char *entry, const struct key *before)
{
	size_t length = strcspn(entry, "=");

	for (size_t i = 0; i < KEYS && entry[length]; i++) {
		const struct key *key = &keys[(size_t)(before - keys + i) % KEYS];
		if (strncmp(key->name, entry, length) == 0 && key->name[length] == '\0')
			return key;
	}
	return NULL;
}

/* Room for the entries of the lists, each with a NULL at its end, in one allocation. */
static int make_lists(const char *text, size_t size, struct options *options)
{
	size_t counts[KEYS] = { 0 }, entries = 0;
	const struct key *before = keys;

	for (const char *entry = text; entry < text + size; entry += strlen(entry) + 1) {
		const struct key *key = find_key(entry, before);
		if (key) {
			counts[key - keys]++;
			before = key;
		}
		entries++;
	}
	char **room = calloc(entries + KEYS, sizeof(char *));
	if (!room)
		return -ENOMEM;
	options->lists = room;
	for (size_t i = 0; i < KEYS; i++) {
		if (keys[i].kind != LIST)
			continue;
		*(char ***)((char *)options + keys[i].offset) = room;
		room += counts[i] + 1;
	}
	return 0;
}

static bool are_paired(const char *const *first, const char *const *second)
{
	size_t i = 0;

	while (first[i] && second[i])
		i++;
	return !first[i] && !second[i];
}

/* Both or none, and neither is a standard stream. */
static bool are_places(uint64_t reads, uint64_t writes)
{
	if (reads == 0 && writes == 0)
		return true;
	return reads > 2 && writes > 2 && reads != writes && reads < DESCRIPTOR_MAX && writes < DESCRIPTOR_MAX;
}

/* Options that only count together, and options that need a feature of others. */
static int check_combinations(const struct options *o, const char **bad)
{
	const bool supervised = o->listener && o->seccomp;
	const struct {
		const char *option;
		bool holds;
	} checks[] = {
		{ "shadow", are_paired(o->shadowed, o->shadows) },
		{ "denied_entry", are_paired(o->denied, o->denied_entries) },
		{ "excepted_from", are_paired(o->excepted, o->excepted_from) },
		{ "known_program", are_paired(o->known_names, o->known_programs) },
		{ "view_target", are_paired(o->view_links, o->view_targets) },
		{ "own_processes", !o->own_processes || o->mounts },
		{ "network", o->network != NETWORK_LOOPBACK || (supervised && o->landlock) },
		{ "inside", !o->inside || (o->mounts && supervised) },
		{ "outer_config", !o->outer_config || o->inside },
		{ "script", !o->script == !o->script_name && (!o->script || supervised) },
		{ "jobserver_reads", are_places(o->jobserver_reads, o->jobserver_writes) },
		{ "relay", !o->relay || (o->network_namespace && o->loopback) },
		{ "arg", o->argv[0][0] == '/' },
	};

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		*bad = checks[i].option;
		if (!checks[i].holds)
			return -EINVAL;
	}
	return 0;
}

int parse_options(char *text, size_t size, struct options *options, const char **bad)
{
	size_t seen[KEYS] = { 0 };
	const struct key *before = keys;
	bool ended = false;

	memset(options, 0, sizeof(*options));
	*bad = "the last string is cut";
	if (size == 0 || text[size - 1] != '\0')
		return -EINVAL;
	if (make_lists(text, size, options) < 0)
		return -ENOMEM;
	for (char *entry = text; entry < text + size; entry += strlen(entry) + 1) {
		const struct key *key = find_key(entry, before);

		*bad = entry;
		if (!key || ended || (seen[key - keys] > 0 && key->kind != LIST))
			return -EINVAL;
		char *value = entry + strlen(key->name) + 1;
		if (!take(key, value, options, seen[key - keys]))
			return -EINVAL;
		seen[key - keys]++;
		before = key;
		ended = key->kind == END;
	}
	for (size_t i = 0; i < KEYS; i++) {
		*bad = keys[i].name;
		if (keys[i].required && seen[i] == 0)
			return -EINVAL;
	}
	return check_combinations(options, bad);
}

void free_options(struct options *options)
{
	free(options->lists);
	options->lists = NULL;
}
