import {namedPaths} from '../../policy/paths/named-paths.ts';
import type {Analysis, Segment} from '../../shell/analysis.ts';
import {isWithin} from '../../system/is-within.ts';
import {commandWords} from '../../shell/subcommands.ts';
import {absolutePath} from '../../shell/paths.ts';
import {machineKindOf} from './machine-programs.ts';
import type {Refusal} from './refusal.ts';

export interface NamedPathsInput {
  readonly cwd: string;
  readonly home: string;
  /** The paths that may be read. */
  readonly roots: readonly string[];
  /** Paths below the roots that may not be read. A root inside one of them may be read again. */
  readonly withheld: readonly string[];
  readonly writeRoots: readonly string[];
  /** The protected paths below the write roots. */
  readonly protected: readonly string[];
  /** The real path, if this user could read it outside. Else undefined. */
  readonly realOf: (path: string) => string | undefined;
  /** A closed folder of /etc can still be listed. Only its contents are closed. */
  readonly isFolder: (path: string) => boolean;
  /** Landlock cannot allow `/` without everything below it. */
  readonly listsTop: boolean;
  /**
   * The remotes of the repository that are folders, as its config has them. Called only when git talks to a remote.
   */
  readonly remotes: () => readonly NamedRemote[];
}

/** A remote as the config has it, and the folder that it is. */
export type NamedRemote = Pick<Candidate, 'requested' | 'path'>;

const shownAtMost = 3;

// These programs change paths without opening them. A read-only mount refuses that without a report. Removals are
// reported where the supervisor is notified of them.
const removers = new Set('rm rmdir unlink mv'.split(' '));
const setters = new Set('chmod chown chgrp touch truncate setfattr setfacl'.split(' '));

/** With such a word, the program takes the values that it sets from another file. */
const isReference = /^(?:-[A-Za-z]*r$|--reference)/;
const talks = /^(?:fetch|pull|push|ls-remote)$/;

export type NamedPath = Extract<Refusal, {kind: 'named-path'}>;

/**
 * For a run that failed without a reported refusal: paths that its command names and could not read, or could not
 * remove. Landlock refuses reads without a report, a mount does so for changes of mode, and notifying every such call
 * of a run would cost too much. So this is judged by the text of the command. --explain knows more. Pure except for
 * its inputs.
 */
export function namedPathsRefused(analysis: Analysis, input: NamedPathsInput): NamedPath[] {
  const {cwd, home, realOf} = input;
  const pushed = new Set(analysis.segments.filter(isPush).flatMap(({argv}) => argv.map(startOf)));
  const asGitSays = analysis.segments.some(
    ({argv}) => argv[0]?.text === 'git' && argv.some(({text}) => talks.test(text)),
  )
    ? input.remotes().map((remote): Candidate => remote)
    : [];
  const changers = new Map(analysis.segments.filter(isChanger).flatMap(changesOf));
  const found = new Map<string, NamedPath>();
  const ofMachine = new Set(analysis.segments.filter(isOfMachine).flatMap(({argv}) => argv.map(startOf)));
  for (const {requested, path, at} of [...namedOf(analysis, cwd, home), ...asGitSays]) {
    const real = path === '/' || isWithin(path, '/dev') ? undefined : realOf(path);
    if (real === undefined || found.has(real) || (at !== undefined && ofMachine.has(at))) continue;
    if ((at === undefined ? pushed.size > 0 : pushed.has(at)) && isClosed(real, input)) {
      found.set(real, {kind: 'named-path', rule: 'outside', requested, path: real, home, isWhole: true});
      continue;
    }
    const change = at === undefined ? undefined : changers.get(at);
    const rule = change
      ? changeRefused(real, change, input)
      : isReadable(real, input)
        ? undefined
        : 'unreadable';
    if (rule) found.set(real, {kind: 'named-path', rule, requested, path: real, home});
  }
  if (!input.listsTop && listsTopFolder(analysis))
    found.set('/', {kind: 'named-path', rule: 'unreadable', requested: '/', path: '/', home});
  return [...found.values()].slice(0, shownAtMost);
}

const listers = new Set('ls dir vdir find tree du exa eza fd echo'.split(' '));

/** `ls /`, `echo /*`, `cd / && ls`. For other programs `/` may be anything: `tr / -`. */
function listsTopFolder({segments}: Analysis): boolean {
  let isInTop = false;
  return segments.some(({argv: [program, ...words]}) => {
    const operands = words.map(({text}) => text).filter((text) => !text.startsWith('-'));
    if (program?.text === 'cd') isInTop = operands[0] === '/';
    if (!listers.has(program?.text ?? '')) return false;
    const names = program?.text === 'echo' ? ['/*'] : ['/', '/*'];
    const isHere = isInTop && operands.length === 0 && program?.text !== 'echo';
    return isHere || operands.some((operand) => names.includes(operand));
  });
}

/** `git push` reads and writes a remote that is a folder. */
function isPush({argv}: Segment): boolean {
  const [program] = argv;
  return program?.text === 'git' && commandWords(argv, 'git')[0]?.text === 'push';
}

const isClosed = (real: string, input: NamedPathsInput): boolean =>
  !isReadable(real, input) && !input.writeRoots.some((root) => isWithin(real, root));

function isChanger({argv: [program, ...words]}: Segment): boolean {
  const name = program?.text ?? '';
  return removers.has(name) || (setters.has(name) && !words.some(({text}) => isReference.test(text)));
}

/** hints.ts already reports that these belong outside. */
function isOfMachine({argv: [program]}: Segment): boolean {
  return machineKindOf(program?.text ?? '') !== undefined;
}

/** Whether the change removes the path, with everything in it. */
interface Change {
  readonly removes: boolean;
}

/** The change to each word, by its position in the command. `mv` leaves its target folder in place. */
function changesOf({argv}: Segment): [number, Change][] {
  const program = argv[0]!.text;
  const target = program === 'mv' ? intoFolder(argv) : undefined;
  return argv.map((word) => [startOf(word), {removes: removers.has(program) && word !== target}]);
}

function intoFolder(argv: Segment['argv']): Segment['argv'][number] | undefined {
  const option = argv.findIndex(({text}) => text === '-t' || text === '--target-directory');
  return option === -1 ? argv.at(-1) : argv[option + 1];
}

function startOf({span}: Segment['argv'][number]): number {
  return span.start;
}

function changeRefused(
  real: string,
  {removes}: Change,
  {writeRoots, protected: protectedFiles}: NamedPathsInput,
): 'outside' | 'protected' | undefined {
  if (!writeRoots.some((root) => isWithin(real, root))) return 'outside';
  return protectedFiles.some((pin) => isWithin(real, pin) || (removes && isWithin(pin, real)))
    ? 'protected'
    : undefined;
}

function isReadable(real: string, {roots, withheld, isFolder}: NamedPathsInput): boolean {
  const closed = withheld.find((path) => isWithin(real, path));
  if (closed !== undefined && isFolder(real)) return true;
  return roots.some((root) => isWithin(real, root) && (closed === undefined || isWithin(root, closed)));
}

interface Candidate {
  readonly requested: string;
  readonly path: string;
  /** Its position in the command. */
  readonly at?: number;
}

/**
 * The paths that a command names. If it changes its folder: only those that do not depend on it, and the first folder
 * that it goes to.
 */
function namedOf(analysis: Analysis, cwd: string, home: string): Candidate[] {
  const named = (namedPaths(analysis, {cwd, home}) ?? [])
    .filter(({known, pattern, access}) => known && !pattern && access === 'read')
    .map(({requested, path, span}) => ({requested, path, at: span.start}));
  const change = analysis.segments.find(({argv}) => argv[0]?.text === 'cd' || argv[0]?.text === 'pushd');
  if (!change) return named;
  const elsewhere = namedPaths(analysis, {cwd: '/nonexistent/folder', home}) ?? [];
  const fixed = new Set(elsewhere.map(({path}) => path));
  for (const {text} of change.argv.slice(1)) fixed.add(absolutePath(text, cwd));
  return named.filter(({path}) => fixed.has(path));
}
