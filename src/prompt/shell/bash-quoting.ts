/** Values in the two forms in which `declare -p` quotes them: "..." and $'...'. Neither contains an expansion. */
const doubleQuoted = /"(?:[^"$`\\]|\\[^])*"/y;
const ansiQuoted = /\$'(?:[^'\\]|\\[^])*'/y;

/** The quoted value that begins at this position, or undefined. */
export function quotedAt(text: string, at: number): string | undefined {
  for (const form of [doubleQuoted, ansiQuoted]) {
    form.lastIndex = at;
    const found = form.exec(text);
    if (found) return found[0];
  }
  return undefined;
}

const letters: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** The text that a quoted value stands for. */
export function unquoted(source: string): string {
  if (source.startsWith('"')) return source.slice(1, -1).replaceAll(/\\([$`"\\\n])/g, '$1');
  return source
    .slice(2, -1)
    .replaceAll(/\\(?:([0-7]{1,3})|([^]))/g, (_, octal: string | undefined, letter: string) =>
      octal === undefined
        ? Object.hasOwn(letters, letter)
          ? letters[letter]!
          : letter
        : String.fromCharCode(Number.parseInt(octal, 8)),
    );
}
