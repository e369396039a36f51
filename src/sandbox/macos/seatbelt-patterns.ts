/**
 * Paths as seatbelt patterns. Seatbelt's regular expressions are less powerful than JavaScript's (POSIX, over bytes).
 * So ion uses only what both understand: literals, sets of one-byte characters, alternatives, `*`, anchors.
 */

/** The path and everything below it, in any mix of upper and lower case: on most Macs `.Git` is `.git`. */
export function pathPattern(path: string): string {
  return `^${foldedLiteral(path)}(/|$)`;
}

/** Only the path itself, in any case. */
export function exactPattern(path: string): string {
  return `^${foldedLiteral(path)}$`;
}

/**
 * A glob over absolute paths (`*`, `?`, `**`, braces without nesting), and everything below its matches. Undefined for
 * a glob that has no pattern here: sets, negations, extended globs. Matches like picomatch with dotfiles.
 */
export function globPattern(glob: string): string | undefined {
  if (/[[\]()!|\\]/.test(glob)) return undefined;
  let pattern = '';
  let rest = glob;
  while (rest !== '') {
    const token = /^(?:\/\*\*(?=\/|$)|\*+|\?|\{[^{},]*(?:,[^{},]*)+\}|[^*?{}/]+|\/|[{}])/.exec(rest)![0];
    const part = globToken(token);
    if (part === undefined) return undefined;
    pattern += part;
    rest = rest.slice(token.length);
  }
  return `^${pattern}(/|$)`;
}

function globToken(token: string): string | undefined {
  if (token === '/**') return '(/.*)?';
  if (token === '*') return '[^/]*';
  if (token === '?') return '[^/]';
  if (token.startsWith('**')) return '[^/]*';
  if (token === '{' || token === '}') return undefined;
  if (!token.startsWith('{')) return foldedLiteral(token);
  const choices = token.slice(1, -1).split(',');
  // A star inside alternatives would have to be split again.
  return choices.some((choice) => /[*?/]/.test(choice))
    ? undefined
    : `(${choices.map(foldedLiteral).join('|')})`;
}

function foldedLiteral(text: string): string {
  return Array.from(text).map(foldedCharacter).join('');
}

function foldedCharacter(character: string): string {
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
  if (lower !== upper) {
    // A set is a set of bytes: a two-byte letter needs alternatives.
    if (lower.length === 1 && upper.length === 1 && upper.charCodeAt(0) < 128 && lower.charCodeAt(0) < 128)
      return `[${lower}${upper}]`;
    return `(${[...new Set([character, lower, upper])].join('|')})`;
  }
  if (character === '^' || character === '\\') return `\\${character}`;
  return /[.*+?()[\]{}|$]/.test(character) ? `[${character}]` : character;
}
