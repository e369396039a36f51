import type {Word} from '../analysis.ts';

/**
 * An external diff is run as `sh -c '<this> "$@"'` with: path, old file, its hash and mode, new file, its hash and mode.
 * An empty value would make git fail, so a diff that only reads stands in. `command -p` takes the system's programs,
 * whatever PATH says: the workspace may have a `cat` of its own, and its folder on PATH.
 */
const plainDiff = 'f() { command -p diff -u --label "a/$1" --label "b/$1" "$2" "$5"; exit 0; }; f';

/**
 * Settings of drivers that name a program, or keep what it gave → the value under which git does the work itself, or does
 * without. A name may be empty, and have any character in it.
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
 * Neutral values for the drivers in a git config: an attribute that the repository itself sets makes `git diff`,
 * `git log -p` and even `git status` run their programs.
 */
export function neutralDrivers(keys: Iterable<string>): (readonly [string, string])[] {
  const settings = new Map<string, string>();
  for (const key of keys) {
    const row = neutral.find(([pattern]) => pattern.test(key));
    if (row) settings.set(key, row[1]);
  }
  return [...settings];
}

/** `~` and `~/x`, which bash makes the home folder; nothing else in the word is to be expanded. */
export function homeTilde({raw}: Word): boolean {
  return /^~(\/[\w.,:@%+/-]*)?$/.test(raw);
}
