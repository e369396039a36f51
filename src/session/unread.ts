import {quoted, type Message} from '../errors.ts';
import {namedPaths} from '../policy/named-paths.ts';
import type {Analysis} from '../shell/analysis.ts';
import {absolutePath, isWithin} from '../shell/paths.ts';

export interface Place {
  readonly cwd: string;
  readonly home: string;
  /** What may be read. */
  readonly roots: readonly string[];
  /** What of the roots may not. A root of its own in it may again. */
  readonly withheld: readonly string[];
  /** Where a path really leads, when this user could read it outside; else undefined. */
  readonly realOf: (path: string) => string | undefined;
  /** The remotes of the repository that are folders, as its config has them; asked for only when git talks to one. */
  readonly remotes: () => readonly string[];
}

const shownAtMost = 3;
const talks = /^(?:fetch|pull|push|ls-remote)$/;

/**
 * Closing lines for a run that failed and told of no refusal: what its command names and could not read. Landlock refuses reads
 * without a word, and to ask about each open of a run would cost too much; so this is by what the command says, and
 * --explain knows more. Pure but for what it is given.
 */
export function unreadMessages(analysis: Analysis, place: Place): Message[] {
  const {cwd, home, realOf} = place;
  const asGitSays = analysis.segments.some(
    ({argv}) => argv[0]?.text === 'git' && argv.some(({text}) => talks.test(text)),
  )
    ? place.remotes().map((remote) => ({requested: remote, path: absolutePath(remote, cwd)}))
    : [];
  const found = new Map<string, string>();
  for (const {requested, path} of [...namedOf(analysis, cwd, home), ...asGitSays]) {
    const real = path === '/' || isWithin(path, '/dev') ? undefined : realOf(path);
    if (real !== undefined && !isReadable(real, place)) found.set(real, requested);
  }
  return [...found].slice(0, shownAtMost).map(([real, requested]) => ({
    text: `${quoted(requested)} lies outside the read roots: it cannot be read here`,
    help: `${isWithin(home, real) ? 'sandbox.read_roots = ["(what is needed of it)"]' : `sandbox.read_roots = ["${real}"]`} in your own config allows it; --explain tells every refused read`,
  }));
}

function isReadable(real: string, {roots, withheld}: Place): boolean {
  const closed = withheld.find((path) => isWithin(real, path));
  return roots.some((root) => isWithin(real, root) && (closed === undefined || isWithin(root, closed)));
}

/** Where the command changes its folder, only what does not depend on it; and where it goes first. */
function namedOf(analysis: Analysis, cwd: string, home: string): {requested: string; path: string}[] {
  const named = (namedPaths(analysis, {cwd, home}) ?? []).filter(
    ({known, pattern, access}) => known && !pattern && access === 'read',
  );
  const change = analysis.segments.find(({argv}) => argv[0]?.text === 'cd' || argv[0]?.text === 'pushd');
  if (!change) return named;
  const elsewhere = namedPaths(analysis, {cwd: '/nonexistent/folder', home}) ?? [];
  const fixed = new Set(elsewhere.map(({path}) => path));
  for (const {text} of change.argv.slice(1)) fixed.add(absolutePath(text, cwd));
  return named.filter(({path}) => fixed.has(path));
}
