/* What ion would have removed after the run, had it lived. */
#ifndef ION_LEFTOVERS_H
#define ION_LEFTOVERS_H

/* Remove these folders (NULL-terminated) with all that is in them. For when the tree is dead: nobody is left who could swap
 * a part of one for something else. What cannot be removed stays. */
void remove_folders(const char **folders);

#endif
