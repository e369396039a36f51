#include "base/path_list.h"

#include <stddef.h>
#include <string.h>

bool is_within(const char *path, const char *root)
{
	size_t length = strlen(root);

	if (strcmp(root, "/") == 0)
		return true;
	return strncmp(path, root, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

const char *find_root(const char *const *roots, const char *path)
{
	for (; *roots; roots++)
		if (is_within(path, *roots))
			return *roots;
	return NULL;
}

bool is_listed(const char *const *list, const char *path)
{
	for (; *list; list++)
		if (strcmp(*list, path) == 0)
			return true;
	return false;
}
