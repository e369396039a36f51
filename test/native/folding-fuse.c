/* A file system in memory that compares names as vfat and casefolded folders do: without case, without dots and blanks at the end,
 * without invisible characters, and with short names (GIT~1).
 *
 * usage: folding-fuse UID:GID[:changing] MOUNTPOINT program argument...
 *
 * Runs the program as that user, in a mount namespace in which MOUNTPOINT is that file system, and ends as it does. The name `turn`
 * leads alternately to the entry `turn` and to the entry `turned`, as on a hostile server. `changing`: each look shows another
 * inode number. There are no hard links. Some names are answered late (held-requests.h). Needs root. Ends after two minutes in any case. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "held-requests.h"

#define NODES 4096
#define NAME 256
#define WRITE_MAX (128 * 1024)

/* Finds it by its number, from 1 (the root) on. An entry without a parent was removed, or is not used yet. */
static struct node {
	__u64 parent;
	char name[NAME], *text;
	size_t size;
	__u32 mode, uid, gid;
	__u64 time;
} nodes[NODES];
static __u64 last = 1;
static int device;
static bool changing;

static void die(const char *what)
{
	perror(what);
	exit(125);
}

/* Characters of several bytes, and what they are compared as. */
static const struct {
	const char *written, *compared;
} characters[] = {
	{ "\xe2\x80\x8c", "" },    { "\xef\xac\x81", "fi" },	   { "\xe2\x84\xaa", "k" },	 { "\xc5\xbf", "s" },
	{ "\xc3\x9f", "ss" },	  { "\xc3\x89", "e\xcc\x81" }, { "\xc3\xa9", "e\xcc\x81" },
};

/* The name as it is compared. */
static void fold(const char *name, char *folded)
{
	size_t length = strlen(name);
	char *to = folded;

	while (length > 0 && strchr(". ", name[length - 1]))
		length--;
	for (size_t i = 0, n; i < length; i++) {
		for (n = 0; n < sizeof(characters) / sizeof(characters[0]); n++)
			if (strncmp(name + i, characters[n].written, strlen(characters[n].written)) == 0)
				break;
		if (n == sizeof(characters) / sizeof(characters[0])) {
			*to++ = (char)tolower(name[i]);
			continue;
		}
		to = stpcpy(to, characters[n].compared);
		i += strlen(characters[n].written) - 1;
	}
	*to = '\0';
}

/* ".git": git~1, "config.worktree": config~1.wor. Empty if the name itself is short. */
static void shorten(const char *name, char *made)
{
	const char *base = name + strspn(name, "."), *dot = strrchr(base, '.');
	size_t length = dot ? (size_t)(dot - base) : strlen(base);

	*made = '\0';
	if (base == name && length <= 8 && (!dot || strlen(dot) <= 4))
		return;
	snprintf(made, NAME, "%.*s~1%.4s", (int)(length < 6 ? length : 6), base, dot ? dot : "");
	for (char *at = made; *at; at++)
		*at = (char)tolower(*at);
}

static __u64 find(__u64 parent, const char *name)
{
	char wanted[NAME], folded[NAME], made[NAME];

	fold(name, wanted);
	for (__u64 i = 1; i <= last; i++) {
		if (nodes[i].parent != parent || i == 1)
			continue;
		fold(nodes[i].name, folded);
		shorten(nodes[i].name, made);
		if (strcmp(folded, wanted) == 0 || strcmp(made, wanted) == 0)
			return i;
	}
	return 0;
}

static __u64 look_up(__u64 parent, const char *name)
{
	static unsigned turns;
	__u64 turned = strcmp(name, "turn") == 0 && turns++ % 2 ? find(parent, "turned") : 0;

	return turned ? turned : find(parent, name);
}

static bool is_empty(__u64 node)
{
	for (__u64 i = 2; i <= last; i++)
		if (nodes[i].parent == node)
			return false;
	return true;
}

static struct fuse_attr attr_of(__u64 node)
{
	const struct node *one = &nodes[node];
	static __u64 looks;

	looks += changing;
	return (struct fuse_attr){ .ino = node + looks * NODES, .size = one->size, .blocks = (one->size + 511) / 512, .atime = one->time,
				   .mtime = one->time, .ctime = one->time, .mode = one->mode, .uid = one->uid, .gid = one->gid,
				   .nlink = S_ISDIR(one->mode) ? 2 : 1, .blksize = 4096 };
}

static void reply(__u64 unique, int error, const void *body, size_t size)
{
	static char answer[WRITE_MAX + 4096];
	struct fuse_out_header header = { (__u32)(sizeof(header) + (error ? 0 : size)), error, unique };

	memcpy(answer, &header, sizeof(header));
	if (!error && size)
		memcpy(answer + sizeof(header), body, size);
	if (write(device, answer, header.len) < 0 && errno != ENOENT)
		perror("reply");
}

static struct fuse_entry_out entry_of(__u64 node)
{
	return (struct fuse_entry_out){ .nodeid = node, .attr = attr_of(node) };
}

static void reply_entry(__u64 unique, __u64 node)
{
	struct fuse_entry_out entry = entry_of(node);

	reply(unique, node ? 0 : -ENOENT, &entry, sizeof(entry));
}

static __u64 make(const struct fuse_in_header *header, const char *name, __u32 mode)
{
	if (find(header->nodeid, name) || last + 1 >= NODES)
		return 0;
	nodes[++last] = (struct node){ .parent = header->nodeid, .mode = mode, .uid = header->uid, .gid = header->gid,
				       .time = (__u64)time(NULL) };
	snprintf(nodes[last].name, NAME, "%s", name);
	return last;
}

static void resize(struct node *node, size_t size)
{
	char *text = realloc(node->text, size + 1);

	if (!text)
		die("memory");
	if (size > node->size)
		memset(text + node->size, 0, size - node->size);
	node->text = text;
	node->size = size;
}

static void set_attr(const struct fuse_in_header *header, const struct fuse_setattr_in *in)
{
	struct node *node = &nodes[header->nodeid];

	if (in->valid & FATTR_MODE)
		node->mode = in->mode;
	if (in->valid & FATTR_UID)
		node->uid = in->uid;
	if (in->valid & FATTR_GID)
		node->gid = in->gid;
	if (in->valid & FATTR_SIZE)
		resize(node, in->size);
	if (in->valid & FATTR_MTIME)
		node->time = in->mtime;
	struct fuse_attr_out out = { .attr = attr_of(header->nodeid) };
	reply(header->unique, 0, &out, sizeof(out));
}

static int remove_entry(__u64 parent, const char *name, bool folder)
{
	__u64 node = find(parent, name);

	if (!node)
		return -ENOENT;
	if (folder && !is_empty(node))
		return -ENOTEMPTY;
	nodes[node].parent = 0;
	return 0;
}

static int rename_entry(__u64 parent, __u64 folder, const char *from, __u32 flags)
{
	const char *to = from + strlen(from) + 1;
	__u64 source = find(parent, from), target = find(folder, to);

	if (!source || ((flags & 2) && !target))
		return -ENOENT;
	if (target && (flags & 1))
		return -EEXIST;
	if (flags & 2) {
		nodes[target].parent = parent;
		snprintf(nodes[target].name, NAME, "%s", from);
	} else if (target && target != source) {
		if (S_ISDIR(nodes[target].mode) && !is_empty(target))
			return -ENOTEMPTY;
		nodes[target].parent = 0;
	}
	nodes[source].parent = folder;
	snprintf(nodes[source].name, NAME, "%s", to);
	return 0;
}

static void read_folder(const struct fuse_in_header *header, const struct fuse_read_in *in)
{
	static char list[WRITE_MAX];
	size_t length = 0;

	for (__u64 i = in->offset + 1; i <= last; i++) {
		size_t size = FUSE_DIRENT_ALIGN(FUSE_NAME_OFFSET + strlen(nodes[i].name));
		if (i == 1 || nodes[i].parent != header->nodeid)
			continue;
		if (length + size > in->size)
			break;
		struct fuse_dirent *entry = (struct fuse_dirent *)(list + length);
		memset(entry, 0, size);
		*entry = (struct fuse_dirent){ .ino = i, .off = i, .namelen = (__u32)strlen(nodes[i].name), .type = nodes[i].mode >> 12 };
		memcpy(entry->name, nodes[i].name, entry->namelen);
		length += size;
	}
	reply(header->unique, 0, list, length);
}

static void read_file(const struct fuse_in_header *header, const struct fuse_read_in *in)
{
	const struct node *node = &nodes[header->nodeid];
	size_t length = in->offset < node->size ? node->size - in->offset : 0;

	reply(header->unique, 0, node->text + (length ? in->offset : 0), length < in->size ? length : in->size);
}

static void write_file(const struct fuse_in_header *header, const struct fuse_write_in *in)
{
	struct node *node = &nodes[header->nodeid];
	struct fuse_write_out out = { .size = in->size };

	if (in->offset + in->size > node->size)
		resize(node, in->offset + in->size);
	memcpy(node->text + in->offset, in + 1, in->size);
	reply(header->unique, 0, &out, sizeof(out));
}

static void create(const struct fuse_in_header *header, const struct fuse_create_in *in)
{
	struct {
		struct fuse_entry_out entry;
		struct fuse_open_out open;
	} out = { .open = { 0 } };
	__u64 node = find(header->nodeid, (const char *)(in + 1));

	if (!node)
		node = make(header, (const char *)(in + 1), S_IFREG | (in->mode & 07777 & ~in->umask));
	out.entry = entry_of(node);
	reply(header->unique, node ? 0 : -ENOSPC, &out, sizeof(out));
}

static void make_link(const struct fuse_in_header *header, const char *name)
{
	const char *target = name + strlen(name) + 1;
	__u64 node = make(header, name, S_IFLNK | 0777);

	if (node) {
		resize(&nodes[node], strlen(target));
		memcpy(nodes[node].text, target, nodes[node].size);
	}
	reply_entry(header->unique, node);
}

static void make_other(const struct fuse_in_header *header, const char *name, __u32 mode)
{
	__u64 node = make(header, name, mode);

	if (node)
		reply_entry(header->unique, node);
	else
		reply(header->unique, -EEXIST, NULL, 0);
}

static void answer(const struct fuse_in_header *header)
{
	static const struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = WRITE_MAX };
	static const struct fuse_open_out opened;
	static const struct fuse_statfs_out system = { .st = { .bsize = 4096, .frsize = 4096, .namelen = NAME - 1 } };
	const void *in = header + 1;
	struct fuse_attr_out attr;

	switch (header->opcode) {
	case FUSE_INIT: return reply(header->unique, 0, &init, sizeof(init));
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT: return;
	case FUSE_LOOKUP: return reply_entry(header->unique, look_up(header->nodeid, in));
	case FUSE_GETATTR:
		attr = (struct fuse_attr_out){ .attr = attr_of(header->nodeid) };
		return reply(header->unique, 0, &attr, sizeof(attr));
	case FUSE_SETATTR: return set_attr(header, in);
	case FUSE_READLINK: return reply(header->unique, 0, nodes[header->nodeid].text, nodes[header->nodeid].size);
	case FUSE_SYMLINK: return make_link(header, in);
	case FUSE_MKNOD: {
		const struct fuse_mknod_in *wanted = in;
		return make_other(header, (const char *)(wanted + 1), wanted->mode & ~wanted->umask);
	}
	case FUSE_MKDIR: {
		const struct fuse_mkdir_in *wanted = in;
		return make_other(header, (const char *)(wanted + 1), S_IFDIR | (wanted->mode & 07777 & ~wanted->umask));
	}
	case FUSE_UNLINK:
	case FUSE_RMDIR: return reply(header->unique, remove_entry(header->nodeid, in, header->opcode == FUSE_RMDIR), NULL, 0);
	case FUSE_RENAME: {
		const struct fuse_rename_in *wanted = in;
		return reply(header->unique, rename_entry(header->nodeid, wanted->newdir, (const char *)(wanted + 1), 0), NULL, 0);
	}
	case FUSE_RENAME2: {
		const struct fuse_rename2_in *wanted = in;
		return reply(header->unique, rename_entry(header->nodeid, wanted->newdir, (const char *)(wanted + 1), wanted->flags),
			     NULL, 0);
	}
	case FUSE_OPEN:
	case FUSE_OPENDIR: return reply(header->unique, 0, &opened, sizeof(opened));
	case FUSE_CREATE: return create(header, in);
	case FUSE_READ: return read_file(header, in);
	case FUSE_WRITE: return write_file(header, in);
	case FUSE_READDIR: return read_folder(header, in);
	case FUSE_STATFS: return reply(header->unique, 0, &system, sizeof(system));
	case FUSE_LINK: return reply(header->unique, -EPERM, NULL, 0);
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
	case FUSE_FLUSH:
	case FUSE_FSYNC: return reply(header->unique, 0, NULL, 0);
	default: return reply(header->unique, -ENOSYS, NULL, 0);
	}
}

static void answer_in_order(const struct fuse_in_header *header)
{
	const char *name = header->opcode == FUSE_LOOKUP ? (const char *)(header + 1) :
			   header->nodeid <= last	 ? nodes[header->nodeid].name :
							   "";

	if (is_held(header, name))
		return;
	answer(header);
	release_after(header, name);
}

static void *serve(void *argument)
{
	static char request[WRITE_MAX + 8192];

	(void)argument;
	for (;;) {
		wait_for_request(device);
		ssize_t length = read(device, request, sizeof(request));
		if (length < 0 && errno != EINTR && errno != ENOENT && errno != EAGAIN)
			return NULL;
		if (length >= (ssize_t)sizeof(struct fuse_in_header))
			answer_in_order((const struct fuse_in_header *)request);
	}
}

static void become(unsigned uid, unsigned gid)
{
	if (setgroups(0, NULL) < 0 || setgid(gid) < 0 || setuid(uid) < 0)
		die("user");
}

int main(int argc, char **argv)
{
	char options[128];
	pthread_t thread;
	unsigned uid, gid;
	int status;

	if (argc < 4 || sscanf(argv[1], "%u:%u", &uid, &gid) != 2)
		return 125;
	changing = strstr(argv[1], ":changing");
	device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (device < 0)
		die("/dev/fuse");
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		die("mount namespace");
	nodes[1] = (struct node){ .mode = S_IFDIR | 0755, .uid = uid, .gid = gid, .time = (__u64)time(NULL) };
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other,default_permissions", device);
	if (mount("folding", argv[2], "fuse.folding", 0, options) < 0)
		die("mount");
	if (pthread_create(&thread, NULL, serve, NULL))
		die("thread");
	pid_t child = fork();
	if (child == 0) {
		become(uid, gid);
		if (chdir(argv[2]) < 0)
			die("chdir");
		execvp(argv[3], argv + 3);
		die(argv[3]);
	}
	alarm(120);
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			die("wait");
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}
