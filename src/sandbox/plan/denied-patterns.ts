import {isPattern} from '../../config/path-patterns.ts';
import {folded} from '../../policy/paths/path-components.ts';

/** The limits of native/launcher/base/path_pattern.h. */
const maxComponents = 63;

/** The parts of a pattern: an escaped character, a set, a list of alternatives, or any other character. */
const parts = /\\.|\[\^?[\w.-]+\]|\{(?:\\.|[^{}\\])*\}|./gsu;

export function hasWildcards(value: string): boolean {
  return /[*?[{]/.test(value.replaceAll(/\\./gs, ''));
}

/**
 * The folders of a pattern before its first wildcard, as a path; all of the pattern if it has none. A pattern may have
 * no wildcard: the name of a home folder may contain an escaped parenthesis.
 */
export function literalStart(value: string): string {
  if (!isPattern(value)) return value;
  const names = value.split('/');
  const wild = names.findIndex(hasWildcards);
  const literal = wild === -1 ? names : names.slice(0, wild);
  return literal.join('/').replaceAll(/\\(.)/gs, '$1') || '/';
}

/**
 * An entry of denied_paths as patterns of the supervisor, as written and with the real path of its start (`real`). Undefined for
 * entries that the supervisor's patterns cannot express: ranges (`{1..9}`), names that may be empty (`/{a,}`), and too many
 * folders. Pure.
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

/** The length of the literal start as written. More characters may be escaped there than necessary. */
function literalLength(pattern: string, start: string): number {
  return pattern.split('/').slice(0, start.split('/').length).join('/').length;
}

function join(folder: string, rest: string): string {
  return (folder === '/' ? '' : folder) + rest;
}

/** The supervisor compares letters beyond ASCII unchanged, so it gets them as written and as the decision folds them. */
function spellings(pattern: string): string[] {
  return /^[\0-\x7f]*$/.test(pattern) ? [pattern] : [pattern, folded(pattern)];
}

function escaped(path: string): string {
  return path.replaceAll(/[\\*?[]/g, '\\$&');
}

/**
 * In picomatch `a/**` also matches `a`, but `a*` followed by `/**` does not: it matches only paths below. A denied name denies everything
 * below it, so one name is enough.
 */
function withOneBelow(pattern: string): string {
  return pattern.replace(/(?<![\\*])\*(?:\/\*\*)+$/, '*/*');
}

/** The pattern once for each of its alternatives. */
function alternatives(pattern: string): string[] | undefined {
  let made = [''];
  for (const [part] of pattern.matchAll(parts)) {
    const choices = part.length > 1 && part.startsWith('{') ? choicesOf(part.slice(1, -1)) : namesOf(part);
    if (!choices) return undefined;
    made = made.flatMap((start) => choices.map((choice) => start + choice));
  }
  // A pattern with an empty name can be read in several ways, so the supervisor does not get it.
  return made.some((one) => /\/(?:\/|$)/.test(one)) ? undefined : made;
}

/** picomatch also matches `[ab]` literally when no character of it is special. */
function namesOf(part: string): string[] {
  return /^\[\w+\]$/.test(part) ? [part, escaped(part)] : [part];
}

/** Without a comma the braces are not a list. */
function choicesOf(list: string): string[] | undefined {
  if (list.includes('..')) return undefined;
  return list.includes(',') ? list.split(',') : [`{${list}}`];
}
