/* Messages of the starter, in the form of ion's own. */
#ifndef ION_STARTER_SAY_H
#define ION_STARTER_SAY_H

#define EXIT_ION_FAILED 125

/* Writes `ion: <text> "<name>"<rest>` and `help: <help>` to stderr, and exits with 125. `name` may hold any byte: control
 * characters are replaced. `name`, `rest` and `help` may be NULL. */
void give_up(const char *text, const char *name, const char *rest, const char *help) __attribute__((noreturn));

#endif
