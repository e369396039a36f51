/* The start of ion-sh and ion-exec.
 *
 * Their callers (npm, make, git, agents) pass variables and a PATH that a project chose. Node would obey some of them before
 * ion's first line: NODE_OPTIONS, OPENSSL_CONF, LD_PRELOAD, or a program named `node` in node_modules/.bin. So this program is
 * static. It looks nothing up on PATH and starts the Node that was noted at install with a few harmless variables. All others
 * go to ion as data, for the command. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "caller.h"
#include "inside.h"
#include "package.h"
#include "say.h"

#define VERSION "ion-starter 1\n"

int main(int argc, char **argv, char **environment)
{
	static struct package package;
	char number[16];

	fill_streams();
	find_package(&package);
	if (argc == 2 && strcmp(package.program, "ion-starter") == 0 && strcmp(argv[1], "--version") == 0)
		return write(STDOUT_FILENO, VERSION, strlen(VERSION)) < 0;
	if (argc == 2 && strcmp(argv[1], "--ion-inside") == 0)
		return !is_inside(&package); /* for ion itself: src/sandbox/linux/inside-run.ts */
	/* The install step wants to see ion's own process. */
	const bool tested = argc == 2 && strcmp(argv[1], "--ion-self-test") == 0;
	if (!tested && is_inside(&package))
		execute_bash(&package, argc, argv, environment);
	find_node(&package);
	const struct jobserver jobserver = find_jobserver(environment);
	close_others(&jobserver);
	const int caller = hand_over(package.program, &jobserver, argv, environment);
	snprintf(number, sizeof(number), "%d", caller);
	/* argv[0] tells bin/ion that the third word is a descriptor. */
	char *const words[] = { "ion-starter", package.start, number, NULL };
	execve(package.node, words, safe_environment(environment));
	give_up("cannot start", package.node, NULL, "install ion again: npm install --global ion-sandbox");
}
