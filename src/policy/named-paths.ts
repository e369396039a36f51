import type {Analysis, Segment, Span, Word} from '../shell/analysis.ts';
import {absolutePath} from '../shell/paths.ts';
import {expandHome} from './paths.ts';

/** A path that a command names, as text: what it opens may lie elsewhere (symlinks; the caller resolves them). */
export interface NamedPath {
  readonly requested: string;
  /** Absolute; may still hold glob characters where `pattern` is true. */
  readonly path: string;
  readonly pattern: boolean;
  readonly access: 'read' | 'write';
  readonly span: Span;
}

/** More (words × folders) than this is not a command that a person wrote: undefined, and callers refuse. */
const maxCandidates = 200_000;

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
  const found: NamedPath[] = [];
  for (const segment of analysis.segments) {
    for (const {word, access} of wordsOf(segment)) {
      for (const requested of pathTexts(word, home)) {
        const bases = requested.startsWith('/') ? [cwd] : folders;
        if (found.length + bases.length > maxCandidates) return undefined;
        for (const base of bases) {
          const pattern = !word.literal && /[*?[]/.test(requested);
          found.push({
            requested: word.raw,
            path: absolutePath(requested, base),
            pattern,
            access,
            span: word.span,
          });
        }
      }
    }
  }
  return found;
}

function wordsOf(segment: Segment): {word: Word; access: 'read' | 'write'}[] {
  const read = [...segment.argv, ...segment.assignments].map((word) => ({word, access: 'read' as const}));
  const opened = segment.redirections.flatMap(({target, writes}) =>
    target ? [{word: target, access: writes ? ('write' as const) : ('read' as const)}] : [],
  );
  return [...read, ...opened];
}

function pathTexts(word: Word, home: string): string[] {
  // Outside single quotes bash expands $HOME; a word that is literal holds none.
  const text = word.literal ? word.text : word.raw.replaceAll(/["'\\]/g, '');
  const parts = /[=:,@]/.test(text) ? [text, ...text.split(/[=:,@]/)] : [text];
  const attached = /^-[A-Za-z]([~/.$].*)$/.exec(text)?.[1];
  if (attached !== undefined) parts.push(attached);
  return parts.filter((part) => part !== '').map((part) => (word.literal ? part : expandHome(part, home)));
}

/** Where a relative word may start from: the start folder, and where each literal `cd` leads from there or in turn. */
function reachableFolders(segments: readonly Segment[], cwd: string, home: string): string[] {
  const folders = new Set([cwd]);
  let current = cwd;
  for (const {argv} of segments) {
    const name = argv[0]?.text;
    if (name !== 'cd' && name !== 'pushd') continue;
    const target = argv.slice(1).find((word) => !word.raw.startsWith('-'));
    const text = target
      ? expandHome(target.literal ? target.text : target.raw.replaceAll(/["']/g, ''), home)
      : home;
    folders.add(absolutePath(text, cwd));
    current = absolutePath(text, current);
    folders.add(current);
  }
  return [...folders];
}
