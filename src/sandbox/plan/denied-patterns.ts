import {isPattern} from '../../config/path-patterns.ts';
import {folded} from '../../policy/paths/path-components.ts';

/** As in native/launcher/base/path_pattern.h. */
const maxComponents = 63;

/** What a pattern is made of: an escaped character, a set, a list of alternatives, or any other character. */
const parts = /\\.|\[\^?[\w.-]+\]|\{(?:\\.|[^{}\\])*\}|./gsu;

export function hasWildcards(value: string): boolean {
  return /[*?[{]/.test(value.replaceAll(/\\./gs, ''));
}

/**
 * The folders of a pattern in front of its first wildcard, as a path; all of it where there is none. A pattern need not have a
 * wildcard: the name of a home folder may have an escaped parenthesis.
 */
export function literalStart(value: string): string {
  if (!isPattern(value)) return value;
  const names = value.split('/');
  const wild = names.findIndex(hasWildcards);
  const literal = wild === -1 ? names : names.slice(0, wild);
  return literal.join('/').replaceAll(/\\(.)/gs, '$1') || '/';
}

/**
 * An entry of denied_paths as patterns of the supervisor, its start also where `real` says that it really is. Undefined for
 * what they cannot say: ranges (`{1..9}`), names that may be empty (`/{a,}`), and more folders than they have room for. Pure.
 */
export function supervisorPatterns(value: string, real: string): readonly string[] | undefined {
  const start = literalStart(value);
  const lists = isPattern(value) ? alternatives(withOneBelow(value)) : [escaped(value)];
  const written = escaped(start);
  const moved = lists?.map((pattern) =>
    join(escaped(real), pattern.slice(written === '/' ? 0 : literalLength(pattern, start))),
  );
  const all = [...new Set([...(lists ?? []), ...(moved ?? [])].flatMap(spellings))];
  if (!lists || all.some((pattern) => pattern.split('/').length - 1 > maxComponents)) return undefined;
  return all;
}

/** How long the literal start is as it stands in the pattern, where more characters may be escaped than have to be. */
function literalLength(pattern: string, start: string): number {
  return pattern.split('/').slice(0, start.split('/').length).join('/').length;
}

function join(folder: string, rest: string): string {
  return (folder === '/' ? '' : folder) + rest;
}

/** Letters beyond ASCII are compared as they are: as written, and as the decision folds them. */
function spellings(pattern: string): string[] {
  return /^[\0-\x7f]*$/.test(pattern) ? [pattern] : [pattern, folded(pattern)];
}

function escaped(path: string): string {
  return path.replaceAll(/[\\*?[]/g, '\\$&');
}

/**
 * In picomatch `a/**` means `a` too, but `a*` followed by the same does not: something below it is meant. What is denied is denied
 * with all below, so one name says that.
 */
function withOneBelow(pattern: string): string {
  return pattern.replace(/(?<![\\*])\*\/\*\*$/, '*/*');
}

/** The pattern once for each of its alternatives. */
function alternatives(pattern: string): string[] | undefined {
  let made = [''];
  for (const [part] of pattern.matchAll(parts)) {
    const choices = part.length > 1 && part.startsWith('{') ? choicesOf(part.slice(1, -1)) : namesOf(part);
    if (!choices) return undefined;
    made = made.flatMap((start) => choices.map((choice) => start + choice));
  }
  // An empty name is read in too many ways.
  return made.some((one) => /\/(?:\/|$)/.test(one)) ? undefined : made;
}

/** picomatch takes `[ab]` for its own name as well, where no character of it has a meaning. */
function namesOf(part: string): string[] {
  return /^\[\w+\]$/.test(part) ? [part, escaped(part)] : [part];
}

/** Without a comma the braces are no list. */
function choicesOf(list: string): string[] | undefined {
  if (list.includes('..')) return undefined;
  return list.includes(',') ? list.split(',') : [`{${list}}`];
}
