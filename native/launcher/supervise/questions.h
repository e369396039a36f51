/* Questions about names, while the command runs. Its whole tree is stopped until the user has answered: it can neither read the
 * user's keys nor write over the question, and its look-up does not time out meanwhile. */
#ifndef ION_QUESTIONS_H
#define ION_QUESTIONS_H

#include "supervise/course.h"
#include "supervise/notify.h"

/* Ask ion what the relay asks. When all is answered, let the tree go. */
void follow_questions(struct course *course, const struct watch *watch);

/* Ctrl-Z at a question, which ion has passed to its process group: stop ion. Its command is stopped already. */
void stop_at_question(struct course *course);

/* SIGCONT came while a question stands, from the user's shell after Ctrl-Z: stop the tree again. It may have written over the question. */
void hold_on(struct course *course);

/* ion is about to show the question again: stop what runs, and say so. From now on the tree stands still. */
void hold_again(struct course *course);

/* The command is ended: the questions that stand are over, with a no. */
void drop_questions(struct course *course);

/* ion's answer. A yes counts only if no process of the tree has run since the question. */
void take_answer(struct course *course, unsigned char byte);

/* Continue the tree if a question holds it. */
void let_go(struct course *course);

#endif
