/* Names that are on no list, but under a rule that asks: their look-ups wait for the user's answer. */
#ifndef ION_NETWORK_ASKING_H
#define ION_NETWORK_ASKING_H

#include "network/query.h"

/* What to do with a query for a name that no rule allows. */
enum asking {
	DOES_NOT_ASK, /* refuse it */
	WAITS,        /* answered later, with all other queries for the name, of whatever type */
	HAS_NO_ROOM,
};
enum asking ask_about(struct relay *relay, struct query *query);

/* Answers from the launcher have come. */
void take_answers(struct relay *relay);

/* A query that had waited has its answer. */
void count_released(struct relay *relay);

#endif
