/* For ion inside ion: this process already has the boundary of the run around it. */
#ifndef ION_STARTER_INSIDE_H
#define ION_STARTER_INSIDE_H

#include <stdbool.h>

#include "package.h"

/* Asks the supervisor, and compares its answer with the run's file. Neither a variable nor a file of the workspace can make
 * this true. */
bool is_inside(const struct package *package);

/* Executes bash with the words of ion-sh or ion-exec. Returns only if there is no bash in a system folder, or for words
 * that ion itself has to explain. */
void execute_bash(const struct package *package, int argc, char **argv, char **environment);

#endif
