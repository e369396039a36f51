import type {Analysis, Segment, Span, Word} from '../../shell/analysis.ts';
import {absolutePath} from '../../shell/paths.ts';
import type {RealPath} from '../../system/links.ts';
import type {PermissionState} from '../decision.ts';
import {expandHome} from './path-components.ts';

/** A path that a command names. */
export interface NamedPath {
  readonly requested: string;
  /** Absolute, as text. May still hold glob characters if `pattern` is true. */
  readonly path: string;
  /** Where it leads now, through links. Undefined if unknown. Glob characters count as part of a name here. */
  readonly real: string | undefined;
  readonly pattern: boolean;
  /** False when it holds something that only bash can know: `$x/file`. */
  readonly known: boolean;
  readonly access: 'read' | 'write';
  readonly span: Span;
}

/** No person writes a command with more words × folders. Then the result is undefined, and callers refuse. */
const maxCandidates = 20_000;

/**
 * Every path that a word of the command could mean: the word itself, and its parts after `=`, `:`, `,`, `@` and a
 * short option (`--file=~/x`, `if=/x`, `@/x`, `-I/x`). Each is resolved from every folder that a literal `cd` may
 * lead to. This explains a refusal before anything runs. A path that it does not see is refused by the boundary when
 * a program opens it.
 */
export function namedPaths(analysis: Analysis, input: NamingInput): NamedPath[] | undefined {
  const {cwd, home} = input;
  const real = input.openLinks?.() ?? asText;
  const folders = reachableFolders(analysis.segments, {cwd, home, real});
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
      for (const base of bases) {
        found.push({...about, path: absolutePath(text, base), real: real(joined(base, text))});
      }
    }
  }
  return found;
}

export type NamingInput = Pick<PermissionState, 'cwd' | 'home' | 'openLinks'>;

/** Resolves a path as text, without links. */
const asText: RealPath = (path) => absolutePath(path, '/');

/** Does not normalise: `link/..` is the parent of the link's target, not the folder of the link. */
function joined(folder: string, path: string): string {
  return path.startsWith('/') ? path : `${folder}/${path}`;
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
  const attached = text.startsWith('-') && /^-[A-Za-z]([~/.$].*|.*\/.*)$/s.exec(text)?.[1];
  if (attached) parts.push(attached);
  return parts
    .filter((part) => part !== '')
    .map((part) => (word.literal ? part : expandHome(part, home)))
    .map(throughProcess);
}

/**
 * /proc/self means the process that opens it, which is not this one. So `/proc/self/root` and `/proc/N/cwd` are replaced
 * with `/` and `.`.
 */
function throughProcess(path: string): string {
  if (!path.startsWith('/')) return path;
  const [start, place] = /^\/+proc\/+(?:self|thread-self|\d+)\/+(root|cwd)(?=\/|$)/.exec(path) ?? [''];
  return place === undefined ? path : (place === 'root' ? '/' : '.') + path.slice(start.length);
}

/** In a word that bash changes, quotes are simply removed: that is the stricter reading. */
function plain(word: Word): string {
  return word.literal ? word.text : word.text.replaceAll(/["'\\]/g, '');
}

/**
 * The folders that a relative word may start from: the start folder, and every folder that one `cd` or several in a
 * row may lead to. For `..`, `cd` shortens the path as text. `cd -P` and programs use the real parent folder.
 */
function reachableFolders(
  segments: readonly Segment[],
  {cwd, home, real}: {readonly cwd: string; readonly home: string; readonly real: RealPath},
): string[] {
  const folders = new Set([cwd]);
  let logical = cwd;
  let physical = cwd;
  for (const {argv} of segments) {
    const name = argv[0]?.text;
    if (name !== 'cd' && name !== 'pushd') continue;
    const target = argv.slice(1).find((word) => !word.raw.startsWith('-'));
    const text = target ? expandHome(plain(target), home) : home;
    logical = absolutePath(text, logical);
    physical = real(joined(physical, text)) ?? logical;
    for (const folder of [absolutePath(text, cwd), logical, real(joined(cwd, text)) ?? logical, physical]) {
      folders.add(folder);
    }
  }
  return [...folders];
}
