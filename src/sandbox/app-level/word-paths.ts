import type {Word} from '../../shell/analysis.ts';
import {anything} from './resolver.ts';

/** A path that a word may name, relative or absolute; globs in it are marked. */
export interface WordPath {
  readonly text: string;
  /** Cut out of a text that may mean something else: `-Isrc/include` is hardly `-I -s -r -c /include`. */
  readonly guessed?: boolean;
}

/**
 * A word as text, with globs marked and `~`, `$HOME` and `$PWD` expanded. Undefined when it contains anything else that
 * only bash can know.
 */
export function wordText(word: Word, home: string | undefined): string | undefined {
  if (word.literal) return word.text.includes('\0') ? undefined : word.text;
  const {raw, pieces = [null], expansions = []} = word;
  // Extended globs may contain slashes; bash reads some of them as one component and some not.
  if (raw.includes('(')) return undefined;
  const start = leadingFolder(raw, home);
  const leads =
    start !== undefined && pieces[0] === null && (expansions[0] === 'tilde' || expansions[0] === 'parameter');
  const rest = leads ? expansions.slice(1) : expansions;
  if (rest.some((kind) => kind !== 'glob')) return undefined;
  const tail = (leads ? pieces.slice(1) : pieces).map((piece) => piece ?? anything).join('');
  // `$PWD~` is a sibling of the current folder.
  if (leads && start === '.' && tail !== '' && !tail.startsWith('/')) return undefined;
  return leads ? start + tail : tail;
}

const homeStart = /^(?:~(?=\/|$)|"?\$(?:HOME(?!\w)|\{HOME\}))/;
const folderStart = /^(?:~\+(?=\/|$)|"?\$(?:PWD(?!\w)|\{PWD\}))/;

/** Home is inserted as it is: if bash would split or expand it, the path is unknown. */
function leadingFolder(raw: string, home: string | undefined): string | undefined {
  if (homeStart.test(raw)) return home && /^\/[\w./@+-]*$/.test(home) ? home : undefined;
  return folderStart.test(raw) ? '.' : undefined;
}

/** A process substitution becomes a descriptor; the command in it is a separate segment. */
export function isDescriptor({expansions}: Word): boolean {
  return expansions?.length === 1 && expansions[0] === 'process';
}

const url = /(?:https?|ssh|git|git\+ssh|git\+https|ftps?|wss?):\/\/[^\s,]*/g;
const maxBundle = 256;

/**
 * Every path that may be in a text. These are the whole text; the parts after `=`, `:`, `,`, `@` (`--file=x`, `of=/x`, `of=~/x`,
 * which bash also expands); the parts after short options (`-C/x`, `-xfC..`); and the words of text that may be a command
 * (`busybox sh -c 'cat ../x'`). Undefined: too long to check.
 */
export function pathsIn(text: string, home: string | undefined): WordPath[] | undefined {
  const found: WordPath[] = [{text}];
  const parts = text.replaceAll(url, '').split(/[=:,@]/);
  if (parts.length > 1) found.push(...parts.map((part) => ({text: part})));
  for (const part of parts) {
    if (!/^-[^-]/.test(part)) continue;
    if (part.length > maxBundle) return undefined;
    found.push({text: part.slice(2)});
    // -I and -L always take a value, so no part of it is an option.
    if (/^-[IL]/.test(part)) continue;
    for (let at = 3; at < part.length; at++) found.push({text: part.slice(at), guessed: true});
  }
  if (/\s/.test(text)) {
    if (text.length > maxScript) return undefined;
    for (const token of text.split(scriptSeparators))
      if (leadsOut.test(token)) found.push({text: token, guessed: true});
  }
  const [whole, ...behind] = found;
  const atHome = behind
    .filter((path) => /^~(?:\/|$)/.test(path.text))
    .map((path) => ({...path, text: `${home ?? '~'}${path.text.slice(1)}`}));
  // `of=~root/x`, or `of=~/x` without a home: only the password database knows the path.
  if (behind.some((path) => /^~[^/]/.test(path.text)) || (atHome.length > 0 && !home)) return undefined;
  return [whole!, ...behind, ...atHome].filter((path) => path.text !== '');
}

const maxScript = 4096;
const scriptSeparators = /[\s"'`;|&<>(){}$]+/;
/** An absolute path, one from a home, or one with `..`. `/` alone does not match: it may be a division. */
const leadsOut = /^(?:\/+[^/]|~|(?:.*\/)?\.\.(?:\/|$))/;
