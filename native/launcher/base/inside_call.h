/* How ion-sh asks whether it is inside a run: prctl(ION_INSIDE_CALL), which no kernel knows (EINVAL). The supervisor of a run
 * answers with the run's number. The same number is in a file that only the launcher could put there: INSIDE_FILE, on a
 * read-only tmpfs over the folder `profiles/inside` of the package. */
#ifndef ION_INSIDE_CALL_H
#define ION_INSIDE_CALL_H

#define ION_INSIDE_CALL 0x696f6e31u
#define INSIDE_FILE "run"
/* Beside it: the settings of the run, for ion inside (src/config/outer-config.ts). */
#define OUTER_CONFIG_FILE "config.toml"

#endif
