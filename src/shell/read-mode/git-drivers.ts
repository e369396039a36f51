import type {Word} from '../analysis.ts';

/**
 * Git runs an external diff as `sh -c '<this> "$@"'` with: path, old file, its hash and mode, new file, its hash and mode.
 * An empty value would make git fail, so a diff that only reads takes its place. `command -p` takes the system's programs
 * whatever PATH is: the workspace may have its own `cat`, and its folder on PATH.
 */
const plainDiff = 'f() { command -p diff -u --label "a/$1" --label "b/$1" "$2" "$5"; exit 0; }; f';

/**
 * Settings of drivers that name a program or cache its output, with a neutral value. With that value git does the work itself, or
 * skips it. A driver's name may be empty and may contain any character.
 */
const neutral: readonly (readonly [RegExp, string])[] = [
  [/^diff\.external$/, plainDiff],
  [/^diff\..*\.command$/s, plainDiff],
  [/^diff\..*\.textconv$/s, 'command -p cat'],
  [/^diff\..*\.cachetextconv$/s, 'false'],
  [/^filter\..*\.(?:clean|smudge|process)$/s, ''],
  [/^filter\..*\.required$/s, 'false'],
  [/^merge\..*\.driver$/s, 'exit 1'],
];

/**
 * Neutral values for the drivers in a git config. Otherwise an attribute of the repository makes `git diff`, `git log -p`
 * and even `git status` run the drivers' programs.
 */
export function neutralDrivers(keys: Iterable<string>): (readonly [string, string])[] {
  const settings = new Map<string, string>();
  for (const key of keys) {
    const row = neutral.find(([pattern]) => pattern.test(key));
    if (row) settings.set(key, row[1]);
  }
  return [...settings];
}

/** `~` and `~/x`, which bash expands to the home folder. The rest of the word contains no expansion. */
export function homeTilde({raw}: Word): boolean {
  return /^~(\/[\w.,:@%+/-]*)?$/.test(raw);
}
