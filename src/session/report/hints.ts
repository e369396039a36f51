import {quoted, type Message} from '../../errors.ts';
import type {Violation} from '../../sandbox/launch.ts';
import {machineKindOf, type MachineKind} from './machine-programs.ts';
import type {Segment} from '../../shell/analysis.ts';

/** What is known of a run that failed. */
export interface Failed {
  readonly segments: readonly Segment[];
  /** Does a git config of the user's or the repository's ask for signatures? Looked up only when git was run. */
  readonly signs: () => boolean;
  /** Is there a `.husky` that is protected? */
  readonly hasHusky: () => boolean;
  /** Files in home without which Yarn goes on, and which stop it when they are there and closed. */
  readonly stopsYarn: () => readonly string[];
  /** Refusals that have their own closing lines. */
  readonly told: readonly Pick<Violation, 'program' | 'target'>[];
}

/** A program that cannot do here what it is for, and does not say why itself. */
interface Closed {
  readonly programs: RegExp | MachineKind;
  readonly isClosed: (words: readonly string[], failed: Failed) => boolean;
  /** Does the line of this refusal say it already? */
  readonly isSaidBy?: (told: Failed['told'][number]) => boolean;
  readonly text: (program: string, failed: Failed) => string;
  readonly help: string;
}

const closed: readonly Closed[] = [
  {
    programs: 'user',
    isClosed: () => true,
    text: (program) =>
      `"${program}" cannot become another user here: nothing that is started in the sandbox gains privileges`,
    help: 'start ion itself as that user, or run this command without ion',
  },
  {
    programs: 'mount',
    isClosed: (words) => words.length > 1,
    text: (program) => `"${program}" changes what is mounted on the machine: nothing in the sandbox can`,
    help: 'do it outside of ion',
  },
  {
    programs: /^(?:unshare|nsenter|bwrap|firejail|podman|buildah)$/,
    isClosed: () => true,
    text: (program) => `"${program}" needs namespaces of its own, which are closed here`,
    help: 'do it outside of ion',
  },
  {
    // As root such a program does not even start: the file has capabilities that the run can not have (EPERM, 126 of bash).
    programs: /^(?:ping6?|arping|tcpdump|dumpcap|tshark)$/,
    isClosed: () => true,
    text: (program) => `"${program}" needs raw sockets, which are closed here, with every network`,
    help: 'do it outside of ion',
  },
  {
    programs: 'package',
    isClosed: (words) => words.some((word) => changesPackages.test(word)),
    isSaidBy: (told) => machineKindOf(told.program) === 'package',
    text: (program) => `"${program}" changes the system's own packages, which are closed here`,
    help: 'do it outside of ion',
  },
  {
    programs: 'tracing',
    isClosed: () => true,
    text: (program) =>
      `"${program}" looks into the kernel (its log, perf events, bpf), which is closed here: it shows what others do`,
    help: 'do it outside of ion',
  },
  {
    programs: 'netlink',
    isClosed: () => true,
    text: (program) => `"${program}" asks the kernel by netlink, which is closed here but for routes`,
    help: 'do it outside of ion',
  },
  {
    programs: /^(?:chromium|chromium-browser|google-chrome(?:-stable)?|chrome)$/,
    isClosed: (words) => !words.includes('--no-sandbox'),
    text: (program) => `the sandbox of "${program}" needs namespaces of its own, which are closed here`,
    help: '--no-sandbox lets ion be its sandbox; --user-data-dir names a profile below the workspace or the temp folder',
  },
  {
    programs: /^git$/,
    isClosed: (words, {signs}) => mayCommit(words) && (asksForSignature(words) || signs()),
    text: () =>
      'git may not have been able to sign: signing keys in ~/.ssh and ~/.gnupg are closed to the sandbox',
    help: 'commit with --no-gpg-sign, and sign outside with "git commit --amend --no-edit -S"',
  },
  {
    programs: /^yarn(?:pkg)?$/,
    isClosed: (_words, {stopsYarn}) => stopsYarn().length > 0,
    text: (_program, {stopsYarn}) =>
      `yarn may have stopped at ${stopsYarn()
        .map((file) => quoted(file))
        .join(' and ')}, which it cannot read here: tokens stand there`,
    help: 'what it needs of it goes into the project; or list the file in sandbox.read_roots of ~/.ion/config.toml',
  },
  {
    programs: /^(?:npm|pnpm|yarn|bun|husky)$/,
    isClosed: ([program, word = 'install'], {hasHusky}) =>
      (program === 'husky' || /^(?:install|i|ci|add|it|install-test|clean-install|prepare)$/.test(word)) &&
      hasHusky(),
    isSaidBy: ({target}) => /\/\.husky(?:\/|$)/.test(target),
    text: () =>
      'husky may not have been able to write ".husky", which is protected: git runs its hooks outside',
    help: 'HUSKY=0 in front of the command leaves it alone (and its hooks too); sandbox.unprotect = [".husky"] in ~/.ion/config.toml allows it',
  },
];

const changesPackages =
  /^(?:install|reinstall|remove|purge|autoremove|(?:dist-|full-)?upgrade|update|refresh|add|del|--install|--remove|--purge|--unpack|--configure|-[irPSUR]\w*)$/;

const mayCommit = (words: readonly string[]): boolean =>
  words.some((word) => /^(?:commit|merge|rebase|tag|cherry-pick|revert|am|pull)$/.test(word)) &&
  !words.includes('--no-gpg-sign');

const asksForSignature = (words: readonly string[]): boolean =>
  words.some((word) => /^(?:-S.*|--gpg-sign.*|--sign)$/.test(word)) ||
  (words.includes('tag') && words.includes('-s'));

/**
 * Closing lines for a run that failed, where a program in it is one that the sandbox keeps from its work. By what the
 * command says: what a script starts is not seen. Pure but for `signs`.
 */
export function closedMessages(failed: Failed): Message[] {
  const messages = failed.segments.flatMap(({argv, wrappers}) => {
    const words = argv.map(({text}) => text);
    return [...wrappers, words[0] ?? ''].flatMap((name) =>
      messageFor(name.slice(name.lastIndexOf('/') + 1), words, failed),
    );
  });
  return messages.filter(({text}, index) => messages.findIndex((one) => one.text === text) === index);
}

function messageFor(program: string, words: readonly string[], failed: Failed): Message[] {
  const kind = machineKindOf(program);
  const rows = closed.filter(
    ({programs, isClosed}) =>
      (typeof programs === 'string' ? programs === kind : programs.test(program)) && isClosed(words, failed),
  );
  return rows
    .filter(({isSaidBy}) => !isSaidBy || !failed.told.some(isSaidBy))
    .map(({text, help}) => ({text: text(program, failed), help}));
}
