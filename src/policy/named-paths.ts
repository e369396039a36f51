import type {Analysis, Segment, Span, Word} from '../shell/analysis.ts';
import {absolutePath} from '../shell/paths.ts';
import {expandHome} from './paths.ts';

/** A path that a command names, as text: what it opens may lie elsewhere (symlinks; the caller resolves them). */
export interface NamedPath {
  readonly requested: string;
  /** Absolute; may still hold glob characters where `pattern` is true. */
  readonly path: string;
  readonly pattern: boolean;
  /** False when it holds what only bash can know: `$x/file`. */
  readonly known: boolean;
  readonly access: 'read' | 'write';
  readonly span: Span;
}

/** More words × folders than this is not a command that a person wrote: undefined, and callers refuse. */
const maxCandidates = 20_000;

/**
 * Every path that could be meant by a word of the command: the word itself, and its parts behind `=`, `:`, `,`, `@`
 * and a short option (`--file=~/x`, `if=/x`, `@/x`, `-I/x`), from every folder that a literal `cd` may lead to.
 * It explains a refusal before anything runs; what it can't see is refused by the boundary when it is opened.
 */
export function namedPaths(
  analysis: Analysis,
  {cwd, home}: {cwd: string; home: string},
): NamedPath[] | undefined {
  const folders = reachableFolders(analysis.segments, cwd, home);
  const words = wordsOf(analysis);
  if (folders.length > 1 && words.length * folders.length > maxCandidates) return undefined;
  const found: NamedPath[] = [];
  for (const {word, access} of words) {
    for (const text of pathTexts(word, home)) {
      const bases = text.startsWith('/') ? [cwd] : folders;
      const about = {
        requested: word.raw,
        pattern: !word.literal && /[*?[]/.test(text),
        known: word.literal || !/[$`]/.test(text),
        access,
        span: word.span,
      };
      for (const base of bases) found.push({...about, path: absolutePath(text, base)});
    }
  }
  return found;
}

interface Named {
  readonly word: Word;
  readonly access: 'read' | 'write';
}

function wordsOf({segments, redirections}: Analysis): Named[] {
  const words = segments.flatMap(({argv, assignments}) => [...argv, ...assignments]);
  const targets = [...segments.flatMap((segment) => segment.redirections), ...redirections];
  return [
    ...words.map((word): Named => ({word, access: 'read'})),
    ...targets.flatMap(({target, writes}): Named[] =>
      target ? [{word: target, access: writes ? 'write' : 'read'}] : [],
    ),
  ];
}

function pathTexts(word: Word, home: string): string[] {
  const text = plain(word);
  const parts = /[=:,@]/.test(text) ? [text, ...text.split(/[=:,@]/)] : [text];
  const attached = /^-[A-Za-z]([~/.$].*)$/.exec(text)?.[1];
  if (attached !== undefined) parts.push(attached);
  return parts
    .filter((part) => part !== '')
    .map((part) => (word.literal ? part : expandHome(part, home)))
    .map((part) => part.replace(/^\/+proc\/+(?:self|thread-self|\d+)\/+root(?=\/|$)/, '/'));
}

/** Of a word that bash changes, the quotes are taken off as if they were not there: the worse reading counts. */
function plain(word: Word): string {
  return word.literal ? word.text : word.text.replaceAll(/["'\\]/g, '');
}

/** Where a relative word may start from: the start folder, and where each `cd` leads from there or in turn. */
function reachableFolders(segments: readonly Segment[], cwd: string, home: string): string[] {
  const folders = new Set([cwd]);
  let current = cwd;
  for (const {argv} of segments) {
    const name = argv[0]?.text;
    if (name !== 'cd' && name !== 'pushd') continue;
    const target = argv.slice(1).find((word) => !word.raw.startsWith('-'));
    const text = target ? expandHome(plain(target), home) : home;
    folders.add(absolutePath(text, cwd));
    current = absolutePath(text, current);
    folders.add(current);
  }
  return [...folders];
}
