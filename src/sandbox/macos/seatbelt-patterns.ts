/**
 * Paths as seatbelt patterns. Its regular expressions know less than JavaScript's (POSIX, over bytes), so only what
 * both understand is made: literals, sets of one-byte characters, alternatives, `*`, anchors.
 */

/** The path and everything below it, in any mix of upper and lower case: on most Macs `.Git` is `.git`. */
export function pathPattern(path: string): string {
  return `^${foldedLiteral(path)}(/|$)`;
}

/** The path itself and nothing else, in any case. */
export function exactPattern(path: string): string {
  return `^${foldedLiteral(path)}$`;
}

/**
 * A glob over absolute paths (`*`, `?`, `**`, braces without nesting), and everything below what it matches. Undefined
 * for what has no pattern here: sets, negations, extended globs. As picomatch reads it with dotfiles.
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
  // A star in a choice would have to be taken apart again.
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
    // A set is a set of bytes: a letter of two bytes needs alternatives.
    if (lower.length === 1 && upper.length === 1 && upper.charCodeAt(0) < 128 && lower.charCodeAt(0) < 128)
      return `[${lower}${upper}]`;
    return `(${[...new Set([character, lower, upper])].join('|')})`;
  }
  if (character === '^' || character === '\\') return `\\${character}`;
  return /[.*+?()[\]{}|$]/.test(character) ? `[${character}]` : character;
}
