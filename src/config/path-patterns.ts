import path from 'node:path';
import {pathText, startOf, withoutStart} from './path-values.ts';
import {isProject, refusal, shaped, type Raw} from './raw.ts';

/**
 * Path patterns, made absolute. picomatch matches a value that has one of `globCharacters`. Any other value is a
 * path, and is compared as it is.
 */
export const globCharacters = /[*?[\]{}()!|]/;

export function isPattern(value: string): boolean {
  return globCharacters.test(value);
}

/** A path or pattern that denies. A bare name applies at any depth, as in .gitignore. */
export const deniedPath = shaped({type: 'string'}, (raw): string => {
  const value = patternText(raw);
  const anywhere = !/[/~]/.test(value) || value.startsWith('**/');
  if (!anywhere) return absolute(startOf(raw, value), withoutStart(value));
  // In a project's config "any depth" means below the project. In the user's own it means the whole file system.
  const start = isProject(raw.source) ? startOf(raw, value) : '/';
  return absolute(start, value.startsWith('**/') ? value : `**/${value}`);
});

/** A workspace, or a pattern for workspaces. It allows, so it must start with `/` or `~`. */
export const trustedPath = shaped({type: 'string'}, (raw): string => {
  const value = patternText(raw);
  if (!/^[~/]/.test(value)) throw refusal(raw, 'must be an absolute path', 'begin it with "/" or "~/"');
  return absolute(startOf(raw, value), withoutStart(value));
});

function absolute(start: string, rest: string): string {
  const asPattern = isPattern(start) || isPattern(rest);
  return path.posix.join(asPattern ? escapeGlob(start) : start, rest).replace(/(?<=.)\/$/, '');
}

/** The name of a folder is taken literally, whatever characters it has. */
function escapeGlob(folder: string): string {
  return folder.replace(/[\\"*?[\]{}()!|]/g, '\\$&');
}

/** `path` as a pattern that matches only this path. */
export function literalPattern(folder: string): string {
  return isPattern(folder) ? escapeGlob(folder) : folder;
}

/**
 * Patterns that picomatch would misread, or would pass on to the regular expression engine. A project that is not trusted may
 * still deny paths. So its patterns must not take exponential time, which groups, repetitions and many wildcards or alternatives
 * can.
 */
// prettier-ignore
const refused: readonly {readonly found: RegExp; readonly atMost?: number; readonly must: string; readonly help?: string}[] = [
  {found: /^!/g,                    must: 'must not be negated', help: 'list only the paths that you mean'},
  {found: /[()|]/g,                 must: 'must not have groups', help: 'write "\\(" for a parenthesis'},
  {found: /[\]}]\+|\{[^}]*\+/g,     must: 'must not have repetitions'},
  {found: /\[!/g,                  must: 'must not have "[!" in it', help: 'write "[^"'},
  // Names are compared in lower case: `[A-_]` would be empty, and `[A-z]` would match less than it says.
  {found: /\[[^\]]*(?<![\w.]-)[A-Z]-[^A-Z\]]/g, must: 'must not have a range from a capital letter to another character', help: 'write "[a-z]": it matches capitals too'},
  {found: /(?:^|\/)\.\.(?:\/|$)/g,  must: 'must not have ".." in it'},
  {found: /[^/]\*\*|\*\*[^/]/g,     must: 'must use "**" only as a whole path component'},
  {found: /\*\*/g, atMost: 2,       must: 'must not have more than two "**"'},
  {found: /(?<!\*)\*(?!\*)/g, atMost: 3, must: 'must not have more than three "*"'},
  {found: /\{/g, atMost: 1,         must: 'must not have more than one list of alternatives'},
  {found: /,/g, atMost: 20,         must: 'must not have more than 20 commas'},
  {found: /"/g,                     must: 'must not have quotes in it', help: 'write "?" for a quote'},
];

function patternText(raw: Raw): string {
  const value = pathText(raw);
  // In a pattern an escaped character is literal. Any other backslash could be read in two ways.
  const bare = isPattern(value) ? value.replace(/\\[\\"*?[\]{}()!|]/g, ' ') : value;
  if (bare.includes('\\')) throw refusal(raw, 'must not have a backslash in it', 'write "?" for a backslash');
  for (const {found, atMost = 0, must, help} of refused) {
    if ((bare.match(found) ?? []).length > atMost) throw refusal(raw, must, help);
  }
  if (!isBalanced(bare)) throw refusal(raw, 'must have balanced brackets');
  return value;
}

/** Checks that every `[` begins a set of letters and digits, and that every `{` has its `}`. */
function isBalanced(pattern: string): boolean {
  const rest = pattern.replace(/\[\^?[\w.-]+\]/g, (set) => (isSet(set) ? '' : '['));
  return !/[[\]]/.test(rest) && /^[^{}]*(?:\{[^{}]*\}[^{}]*)?$/.test(rest);
}

/** `[z-a]` is not a set. */
function isSet(set: string): boolean {
  try {
    return new RegExp(set) instanceof RegExp;
  } catch {
    return false;
  }
}
