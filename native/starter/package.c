#define _GNU_SOURCE
#include "package.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "say.h"

#define AGAIN "install ion again: npm install --global ion-sandbox"
/* The owner of files of users that this user namespace does not map (Linux: /proc/sys/kernel/overflowuid). */
#define UNMAPPED 65534u

static void put(char *room, size_t size, const char *folder, const char *name)
{
	int length = snprintf(room, size, "%s/%s", folder, name);

	if (length < 0 || (size_t)length >= size)
		give_up("the path of ion's folder is too long", NULL, NULL, NULL);
}

/* Cuts the last name off `path`. Returns it. */
static const char *cut_name(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || slash == path)
		give_up("cannot find ion's folder:", path, NULL, AGAIN);
	*slash = '\0';
	return slash + 1;
}

void find_package(struct package *package)
{
	static char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct stat info;

	if (length <= 0 || self[0] != '/')
		give_up("cannot find ion's folder: /proc is not mounted", NULL, NULL, NULL);
	if (stat(self, &info) < 0)
		give_up("cannot find ion's folder:", self, NULL, AGAIN);
	snprintf(package->program, sizeof(package->program), "%s", cut_name(self));
	cut_name(self);
	snprintf(package->root, sizeof(package->root), "%s", self);
	put(package->start, sizeof(package->start), self, "bin/ion");
}

/* Whether a user other than root, this user and the installer could replace it. */
static bool is_open_to_others(const struct stat *info, uid_t installer)
{
	const bool folder = S_ISDIR(info->st_mode);
	const uid_t owner = info->st_uid;

	if (owner != 0 && owner != getuid() && owner != installer && owner != UNMAPPED)
		return true;
	return info->st_mode & S_IWOTH && !(folder && info->st_mode & S_ISVTX);
}

/* Checks the file and each folder above it. */
static void check_owners(const char *file, uid_t installer)
{
	char path[PATH_MAX];
	struct stat info;

	snprintf(path, sizeof(path), "%s", file);
	for (char *end = path + strlen(path); end; end = strrchr(path, '/')) {
		*end = '\0';
		if (stat(path[0] ? path : "/", &info) < 0)
			give_up("cannot look at", path, ", part of the path of ion's Node", AGAIN);
		if (is_open_to_others(&info, installer))
			give_up("another user can replace", path, ", part of the path of ion's Node",
				"install Node in a folder that only you or root can write, then ion again");
	}
}

void find_node(struct package *package)
{
	char noted[PATH_MAX];
	struct stat info;

	put(noted, sizeof(noted), package->root, "bin/node.path");
	int fd = open(noted, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &info) < 0 || !S_ISREG(info.st_mode))
		give_up("the installation is not finished: there is no", noted, NULL, AGAIN);
	const uid_t installer = info.st_uid;
	ssize_t length = read(fd, package->node, sizeof(package->node) - 1);
	close(fd);
	package->node[length > 0 ? length : 0] = '\0';
	package->node[strcspn(package->node, "\n")] = '\0';
	if (package->node[0] != '/')
		give_up("no absolute path in", noted, NULL, AGAIN);
	if (stat(package->node, &info) < 0 || !S_ISREG(info.st_mode))
		give_up("the Node that ion was installed with is gone:", package->node, NULL, AGAIN);
	check_owners(package->node, installer);
}
