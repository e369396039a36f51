import type {Message} from '../errors.ts';
import type {Segment} from '../shell/analysis.ts';

/** What is known of a run that failed. */
export interface Failed {
  readonly segments: readonly Segment[];
  /** Does a git config of the user's or the repository's ask for signatures? Looked up only when git was run. */
  readonly signs: () => boolean;
}

/** A program that cannot do here what it is for, and does not say why itself. */
interface Closed {
  readonly programs: RegExp;
  readonly isClosed: (words: readonly string[], failed: Failed) => boolean;
  readonly text: (program: string) => string;
  readonly help: string;
}

const closed: readonly Closed[] = [
  {
    programs: /^(?:sudo|doas|pkexec|su)$/,
    isClosed: () => true,
    text: (program) =>
      `"${program}" cannot become another user here: nothing that is started in the sandbox gains privileges`,
    help: 'start ion itself as that user, or run this command without ion',
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
];

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
  const row = closed.find(({programs}) => programs.test(program));
  return row?.isClosed(words, failed) ? [{text: row.text(program), help: row.help}] : [];
}
