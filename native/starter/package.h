/* Where ion is installed, and the Node that runs it. */
#ifndef ION_STARTER_PACKAGE_H
#define ION_STARTER_PACKAGE_H

#include <limits.h>

struct package {
	char root[PATH_MAX];	 /* the package's folder */
	char program[NAME_MAX + 1]; /* the name of this file: ion-sh or ion-exec */
	char start[PATH_MAX];	 /* bin/ion */
	char node[PATH_MAX];	 /* absolute: noted at install in bin/node.path */
};

/* Finds the package by /proc/self/exe: never by argv, PATH or a variable. Exits with 125 where that fails. */
void find_package(struct package *package);

/* Reads which Node to start, and checks it. Exits with 125 if another user could have replaced it. */
void find_node(struct package *package);

#endif
