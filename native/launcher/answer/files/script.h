/* The script that ion-sh was called with. bash opens it by its name, and gets the text that ion decided on: by then another
 * process may have changed the file. */
#ifndef ION_SCRIPT_H
#define ION_SCRIPT_H

#include "supervise/notify.h"

/* Puts the text into a sealed file in memory. Returns 0 or -errno. */
int keep_script(const struct options *options);

/* An open for reading: gives the command the text if it is its first open of that name. Otherwise CONTINUE. */
int answer_script(const struct call *call);

#endif
