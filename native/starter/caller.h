/* What the caller passed: arguments, variables and descriptors. */
#ifndef ION_STARTER_CALLER_H
#define ION_STARTER_CALLER_H

#include <stdbool.h>

/* The jobserver of make: a pipe that MAKEFLAGS names by its two descriptors; -1 for none. */
struct jobserver {
	int reads, writes;
};

/* A closed standard stream becomes /dev/null: another file must not get its number. */
void fill_streams(void);

struct jobserver find_jobserver(char *const *environment);

/* Closes all descriptors that the caller left open, except the streams and the jobserver. */
void close_others(const struct jobserver *jobserver);

/* Writes everything into a sealed file in memory. Returns its descriptor, which the next program inherits. */
int hand_over(const char *program, const struct jobserver *jobserver, char *const *argv, char *const *environment);

/* The few variables that ion's own process gets, NULL-terminated. */
char **safe_environment(char *const *environment);

#endif
