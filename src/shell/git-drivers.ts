/**
 * An external diff is run as `sh -c '<this> "$@"'` with: path, old file, its hash and mode, new file, its hash and mode.
 * An empty value would make git fail, so a diff that only reads stands in.
 */
const plainDiff = 'f() { diff -u --label "a/$1" --label "b/$1" "$2" "$5"; exit 0; }; f';

/** Settings of drivers that name a program → the value under which git does the work itself, or does without. */
const neutral: readonly (readonly [RegExp, string])[] = [
  [/^diff\.external$/, plainDiff],
  [/^diff\..+\.command$/, plainDiff],
  [/^diff\..+\.textconv$/, 'cat'],
  [/^filter\..+\.(?:clean|smudge|process)$/, ''],
  [/^filter\..+\.required$/, 'false'],
  [/^merge\..+\.driver$/, 'false'],
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
