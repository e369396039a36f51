import {settingForms} from '../../config/set-option.ts';
import type {Sourced} from '../../config/settings.ts';
import {howToOpen} from '../../policy/paths/denied-paths.ts';
import type {NetworkRule, Violation} from '../../sandbox/violation.ts';
import type {ProtectionId} from '../../sandbox/matrix/matrix.ts';
import {isWithin} from '../../system/is-within.ts';
import {autorunNames} from '../../sandbox/plan/protected.ts';
import {networkRules} from './network-rules.ts';
import {networkTargetOf} from './network-target.ts';
import {bySetting, inWords, noSetting, type Advice} from './setting-advice.ts';
import {isInStepFolder} from '../step-files.ts';
import {ofLaterSteps, readAdvice, wholeAdvice, writeAdvice} from './path-advice.ts';

interface Rule {
  readonly protection: string;
  readonly did: string;
  readonly why: string;
  readonly advice: (target: string, home: string | undefined, more?: More) => Advice;
}

interface More {
  /** The entry of denied_paths that refused it. */
  readonly entry?: Sourced<string> | undefined;
  readonly syscall?: string;
  readonly detail?: string;
  /** The folder itself is to be written, not only an entry of it. */
  readonly isWhole?: boolean;
  /** The name of the program that was refused. */
  readonly program?: string;
}

/** Only running without a sandbox gives access to processes outside. */
const outOfReach = (protection: ProtectionId, did: string): Rule => ({
  protection,
  did,
  why: 'it belongs to a process outside the run',
  advice: () => noSetting,
});

/** For each rule: its protection, its words, and the setting that would allow it. */
export const violationRules: Readonly<Record<Violation['rule'], Rule>> = {
  unreadable: {
    protection: 'reads',
    did: 'read',
    why: 'outside the read roots',
    advice: readAdvice,
  },
  outside: {
    protection: 'writes',
    did: 'change',
    why: 'outside the write roots',
    advice: (target, home, {syscall = '', isWhole} = {}) =>
      isWhole ? wholeAdvice(target, home) : writeAdvice(target, home, syscall),
  },
  protected: {
    protection: 'autorun',
    did: 'change',
    why: 'protected, because programs outside the sandbox run or read it',
    advice: (target, home) => {
      if (home !== undefined && isWithin(target, `${home}/.ion`)) return noSetting;
      // This is a git folder, or the `.git` file of a submodule. The name does not tell which.
      if (target.endsWith('/.git'))
        return bySetting('sandbox.unprotect', ['.git/hooks', '.git/config'], '; or do it outside ion');
      if (isInStepFolder(target)) return inWords(ofLaterSteps);
      const name = nameOf(target);
      if (name === undefined) return inWords(containsProtected);
      const otherwise = name === '.husky' ? '; or put HUSKY=0 before the command to skip it' : '';
      return bySetting('sandbox.unprotect', [name], otherwise);
    },
  },
  stream: {
    protection: 'streams',
    did: 'write to',
    why: 'it was given to the run for reading only',
    advice: () => noSetting,
  },
  'set-id': {
    protection: 'set-id',
    did: 'set the setuid or setgid bit of',
    why: 'such a file would run with more rights outside the sandbox',
    advice: () => inWords('no setting allows it: leave the bit out, or set it outside ion'),
  },
  'stream-read': {
    protection: 'streams',
    did: 'read from',
    why: 'it was given to the run for writing only',
    advice: () => noSetting,
  },
  'stream-appended': {
    protection: 'streams-appended',
    did: 'overwrite',
    why: 'it was given to the run for appending only',
    advice: () => noSetting,
  },
  'denied-path': {
    protection: 'denied-paths',
    did: 'change',
    why: 'denied by denied_paths',
    advice: (_target, _home, {entry} = {}) => inWords(howToOpen(entry?.origin ?? {layer: 'default'})),
  },
  'denied-command': {
    protection: 'denied-exec',
    did: 'execute',
    why: 'denied by deny_commands',
    advice: () => inWords('remove the pattern from deny_commands to allow it'),
  },
  'read-mode': {
    protection: 'read-programs',
    did: 'execute',
    why: 'read mode starts only the programs that the command names',
    advice: () =>
      inWords(
        `drop --read to run it in write mode; where a config sets it, ${settingForms('permissions.mode', 'write')}`,
      ),
  },
  'denied-rule': {
    protection: 'denied-exec',
    did: 'execute',
    why: 'denied by a rule',
    advice: () => inWords('remove the rule from that config to allow it'),
  },
  network: {
    protection: 'network',
    did: 'reach',
    why: 'the network is closed',
    advice: (target) =>
      /^(?:127\.|\[::1\]:|\[::ffff:127\.)/.test(target)
        ? bySetting('sandbox.network', 'loopback', ' (for a server of the same run; "full" for others)')
        : bySetting('sandbox.network', 'full'),
  },
  loopback: {
    protection: 'network',
    did: 'listen on',
    why: 'the network is closed',
    advice: () => bySetting('sandbox.network', 'loopback'),
  },
  'beyond-loopback': {
    protection: 'loopback',
    did: 'listen on',
    why: 'not a loopback address',
    advice: () => bySetting('sandbox.network', 'full'),
  },
  'outside-server': {
    protection: 'loopback-own',
    did: 'connect to',
    why: 'a server of another process',
    advice: () => bySetting('sandbox.network', 'full'),
  },
  'unix-socket': {
    protection: 'unix-sockets',
    did: 'connect to',
    why: 'a socket of another process',
    advice: (target) =>
      target.startsWith('@')
        ? noSetting
        : bySetting('sandbox.unix_sockets', [target], '; its server is not confined'),
  },
  'unknown-socket': {
    protection: 'unix-sockets',
    did: 'connect to',
    why: 'without the kernel module unix_diag ion cannot tell whether it is a socket of this run',
    advice: (target) => bySetting('sandbox.unix_sockets', [target], '; its server is not confined'),
  },
  ...networkTableRules(),
  signal: outOfReach('signals', 'signal'),
  scheduling: outOfReach('scheduling', 'change the scheduling of'),
};

function networkTableRules(): Readonly<Record<NetworkRule, Rule>> {
  const rows = Object.entries(networkRules).map(([rule, {allow, ...words}]) => [
    rule,
    {
      ...words,
      advice: (_target: string, _home: string | undefined, {detail = '', program = ''}: More = {}) =>
        allow({...networkTargetOf(detail), program}),
    },
  ]);
  return Object.fromEntries(rows) as Record<NetworkRule, Rule>;
}

const inGit =
  /\/(\.git\/(?:modules\/.+?\/|worktrees\/[^/]+\/)?(?:hooks|config\.worktree|config|commondir|info\/attributes))(?:\/|$)/;

/** unprotect takes names. A folder is protected because of the files below it, and a program because it is on PATH. */
const containsProtected =
  'no setting allows it, because it is on the way to files that programs outside the sandbox run or read: change it outside ion';

/** The protected name in a path, in the spelling of the list: `/a/b/.Vscode/x` → `.vscode`. Undefined if there is none. */
function nameOf(target: string): string | undefined {
  const git = inGit.exec(target) ?? inGit.exec(target.toLowerCase());
  if (git) return git[1]!;
  const names = target.split('/');
  const known = names.findLast((name) => autorunNames.some((one) => one.name === name.toLowerCase()));
  if (known) return known.toLowerCase();
  const at = names.findLastIndex((name) => name.startsWith('.'));
  if (at === -1) return undefined;
  // Folders of a home that are protected only in part: `.config/autostart`.
  const shared = /^\.(?:config|cargo|local|cache)$/.test(names[at]!);
  return names.slice(at, shared ? at + 2 : at + 1).join('/');
}
