import {setOption, settingForms} from '../../config/set-option.ts';
import {quoted} from '../../errors.ts';
import type {Violation} from '../../sandbox/violation.ts';
import {machineKindOf, type MachineKind} from './machine-programs.ts';
import {isNameServer} from './network-target.ts';
import type {Segment} from '../../shell/analysis.ts';
import type {Refusal} from './refusal.ts';
import {baseName} from '../../system/base-name.ts';

/** The known facts about a run that failed. */
export interface Failed {
  readonly segments: readonly Segment[];
  /** Whether a git config of the user or the repository asks for signatures. Looked up only when git was run. */
  readonly signs: () => boolean;
  /** Whether there is a protected `.husky`. */
  readonly hasHusky: () => boolean;
  /** Files in home that stop Yarn if they exist but cannot be read. Without them Yarn continues. */
  readonly stopsYarn: () => readonly string[];
  /** Refusals that have closing lines of their own. */
  readonly reported: readonly Pick<Violation, 'program' | 'target' | 'rule'>[];
  /** Reports whether this program has a cache in home. */
  readonly hasCache: (program: string) => boolean;
  /** An address of the network in the text. */
  readonly address: string | undefined;
}

/** A program that cannot do its task in the sandbox, and does not report why. */
interface HintRow {
  readonly programs: RegExp | MachineKind;
  readonly applies: (words: readonly string[], failed: Failed) => boolean;
  /** Whether the closing line of this refusal already says it. */
  readonly isSaidBy?: (reported: Failed['reported'][number]) => boolean;
  readonly text: (program: string, failed: Failed) => string;
  readonly help: string | ((failed: Failed) => string);
}

/** Those that fail in every run, whatever becomes of the rest. */
const certain: readonly HintRow[] = [
  {
    programs: 'user',
    applies: () => true,
    text: (program) => `"${program}" cannot become another user: no program gains privileges in the sandbox`,
    help: 'start ion itself as that user, or run this command without ion',
  },
  {
    programs: 'mount',
    applies: (words) => words.length > 1,
    text: (program) => `"${program}" changes the mounts of the machine, which is not possible in the sandbox`,
    help: 'do it outside ion',
  },
  {
    programs: /^(?:unshare|nsenter|bwrap|firejail|podman|buildah)$/,
    applies: () => true,
    text: (program) => `"${program}" needs its own namespaces, which the sandbox refuses`,
    help: 'do it outside ion',
  },
  {
    // For root such a program does not even start: its file has capabilities that the run cannot have (EPERM, 126 of bash).
    programs: /^(?:ping6?|arping|tcpdump|dumpcap|tshark)$/,
    applies: () => true,
    text: (program) => `"${program}" needs raw sockets, which the sandbox refuses with every network setting`,
    help: 'do it outside ion',
  },
  {
    programs: 'package',
    applies: (words) => words.some((word) => changesPackages.test(word)),
    isSaidBy: ({program}) => machineKindOf(program) === 'package',
    text: (program) =>
      `"${program}" changes the packages of the system, which are not writable in the sandbox`,
    help: 'do it outside ion',
  },
  {
    programs: 'tracing',
    applies: () => true,
    text: (program) =>
      `"${program}" reads the kernel's log, perf events or bpf, which the sandbox refuses: they show what other processes do`,
    help: 'do it outside ion',
  },
  {
    programs: 'netlink',
    applies: () => true,
    text: (program) => `"${program}" needs netlink, which the sandbox refuses except for routes`,
    help: 'do it outside ion',
  },
  {
    programs: /^(?:chromium|chromium-browser|google-chrome(?:-stable)?|chrome)$/,
    applies: (words) => !words.includes('--no-sandbox'),
    text: (program) => `the sandbox of "${program}" needs its own namespaces, which the sandbox refuses`,
    help: 'add --no-sandbox, so that only ion confines it, and --user-data-dir with a folder in the workspace or the temp folder',
  },
];

const hints: readonly HintRow[] = [
  ...certain,
  {
    programs: /^git$/,
    applies: (words, {signs}) => mayCommit(words) && (asksForSignature(words) || signs()),
    text: () =>
      'git may have failed to sign: the sandbox does not let it read the keys in ~/.ssh and ~/.gnupg',
    help: 'commit with --no-gpg-sign, then sign outside ion with "git commit --amend --no-edit -S"',
  },
  {
    programs: /^yarn(?:pkg)?$/,
    applies: (_words, {stopsYarn}) => stopsYarn().length > 0,
    text: (_program, {stopsYarn}) =>
      `yarn may have stopped at ${stopsYarn()
        .map((file) => quoted(file))
        .join(' and ')}, which it cannot read in the sandbox: tokens are stored there`,
    help: ({stopsYarn}) =>
      `move the settings that it needs into the project, or open the file; ${settingForms('sandbox.read_roots', stopsYarn())}`,
  },
  {
    programs: /^(?:npm|pnpm|yarn|bun|husky)$/,
    applies: ([program, word = 'install'], {hasHusky}) =>
      (program === 'husky' || /^(?:install|i|ci|add|it|install-test|clean-install|prepare)$/.test(word)) &&
      hasHusky(),
    isSaidBy: ({target}) => /\/\.husky(?:\/|$)/.test(target),
    text: () =>
      'husky may have failed to write ".husky", which is protected: git runs its hooks outside the sandbox',
    help: `put HUSKY=0 before the command to skip husky and its hooks, or let it write; ${settingForms('sandbox.unprotect', ['.husky'])}`,
  },
  {
    programs: /^(?:npm|pnpm|yarn(?:pkg)?|bun|pip[\d.]*|uv|poetry|bundle|composer)$/,
    applies: (words, {reported, hasCache}) =>
      hasCache(words[0] ?? '') && (words.some((word) => offline.test(word)) || reported.some(isNameServer)),
    text: (program) =>
      `"${program}" cannot see its cache in home: this workspace has one of its own, which may lack what it needs`,
    help: `let it download once: ${setOption('sandbox.network=full')}`,
  },
];

const offline = /^--(?:prefer-)?offline$/;

const changesPackages =
  /^(?:install|reinstall|remove|purge|autoremove|(?:dist-|full-)?upgrade|update|refresh|add|del|--install|--remove|--purge|--unpack|--configure|-[irPSUR]\w*)$/;

const mayCommit = (words: readonly string[]): boolean =>
  words.some((word) => /^(?:commit|merge|rebase|tag|cherry-pick|revert|am|pull)$/.test(word)) &&
  !words.includes('--no-gpg-sign');

const asksForSignature = (words: readonly string[]): boolean =>
  words.some((word) => /^(?:-S.*|--gpg-sign.*|--sign)$/.test(word)) ||
  (words.includes('tag') && words.includes('-s'));

type HintRefusal = Extract<Refusal, {kind: 'hint'}>;

/** For `ion check`: programs in the text that cannot do their task in any run. Pure. */
export function certainHints(segments: readonly Segment[]): HintRefusal[] {
  const nothingSaid: Failed = {
    segments,
    signs: () => false,
    hasHusky: () => false,
    stopsYarn: () => [],
    reported: [],
    hasCache: () => false,
    address: undefined,
  };
  return hintsIn(certain, nothingSaid);
}

/**
 * For a run that failed: programs in it that the sandbox keeps from their task. Judged by the text of the command, so
 * what a script starts is unknown. Pure except for `signs`, `hasHusky` and `stopsYarn`.
 */
export function hintsFor(failed: Failed): HintRefusal[] {
  const {address, reported} = failed;
  const found = hintsIn(hints, failed);
  return address !== undefined && reported.some(isNameServer) ? [...found, notLookedUp(address)] : found;
}

function hintsIn(rows: readonly HintRow[], failed: Failed): HintRefusal[] {
  const found = failed.segments.flatMap(({argv, wrappers}) => {
    const words = argv.map(({text}) => text);
    return [...wrappers, words[0] ?? ''].flatMap((name) => hintsOf(rows, baseName(name), words, failed));
  });
  return found.filter(({text}, index) => found.findIndex((one) => one.text === text) === index);
}

function notLookedUp(address: string): HintRefusal {
  const text = `no name was looked up for ${quoted(address)}: the name server is behind the closed network`;
  return {kind: 'hint', text, help: ''};
}

function hintsOf(
  rows: readonly HintRow[],
  program: string,
  words: readonly string[],
  failed: Failed,
): HintRefusal[] {
  const kind = machineKindOf(program);
  return rows
    .filter(
      ({programs, applies}) =>
        (typeof programs === 'string' ? programs === kind : programs.test(program)) && applies(words, failed),
    )
    .filter(({isSaidBy}) => !isSaidBy || !failed.reported.some(isSaidBy))
    .map(({text, help}) => ({
      kind: 'hint',
      text: text(program, failed),
      help: typeof help === 'string' ? help : help(failed),
    }));
}
