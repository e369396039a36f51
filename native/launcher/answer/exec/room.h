/* Memory for looking at executions: too much for a stack. Each thread that answers has its own. */
#ifndef ION_EXEC_ROOM_H
#define ION_EXEC_ROOM_H

#include "answer/exec/argv.h"
#include "answer/exec/executions.h"

/* The most bytes that the kernel accepts for words and variables together, under the usual limit of the stack. */
#define ENVIRONMENT_MAX (2u << 20)

struct exec_room {
	struct argv_pages pages;
	struct command command;           /* of the call */
	struct command script;            /* what the kernel makes of a script */
	char text[COMMAND_MAX];           /* words that were joined */
	char file[TEXT_MAX];              /* of /proc: a command line */
	char environment[ENVIRONMENT_MAX + 1];
};

#endif
