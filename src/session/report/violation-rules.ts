import {tomlString} from '../../config/read/render.ts';
import type {Sourced} from '../../config/settings.ts';
import {howToOpen} from '../../policy/paths/denied-paths.ts';
import type {Violation} from '../../sandbox/launch.ts';
import type {ProtectionId} from '../../sandbox/matrix.ts';
import {isWithin} from '../../system/is-within.ts';
import {autorunNames} from '../../sandbox/plan/protected.ts';
import {isOfMachine} from './machine-programs.ts';

interface Rule {
  readonly protection: string;
  readonly did: string;
  readonly why: string;
  /** `entry` is that of denied_paths which refused it. */
  readonly allows: (target: string, home: string | undefined, entry?: Sourced<string>) => string;
}

export const unreachable = 'no setting allows it: do it outside of ion';

/** Nothing opens a way to processes outside but no sandbox at all. */
const outOfReach = (protection: ProtectionId, did: string): Rule => ({
  protection,
  did,
  why: 'not of this run',
  allows: () => unreachable,
});

/** By rule: which protection it rests on, what to say of it, and what would allow it. */
export const rules: Readonly<Record<Violation['rule'], Rule>> = {
  unreadable: {
    protection: 'reads',
    did: 'read',
    why: 'outside the read roots',
    allows: (target, home) =>
      home !== undefined && isWithin(home, target)
        ? 'list what is needed of it, and no more, in sandbox.read_roots of ~/.ion/config.toml'
        : `sandbox.read_roots = [${tomlString(target)}] in ~/.ion/config.toml allows it`,
  },
  outside: {
    protection: 'writes',
    did: 'change',
    why: 'outside the write roots',
    allows: (target, home) => {
      const folder = folderOf(target);
      // A root that opens home or the system is no advice to give.
      if (tooBroad(folder, home)) return 'write below the workspace or the temp folder instead';
      return `sandbox.write_roots = [${tomlString(folder)}] in ~/.ion/config.toml allows it`;
    },
  },
  protected: {
    protection: 'autorun',
    did: 'change',
    why: 'something outside the sandbox runs or reads it',
    allows: (target, home) => {
      if (home !== undefined && isWithin(target, `${home}/.ion`)) return unreachable;
      const name = nameOf(target);
      // A git folder, or the file that leads to a submodule's: which of the two it is, the name does not tell.
      if (target.endsWith('/.git'))
        return 'sandbox.unprotect = [".git/hooks", ".git/config"] in ~/.ion/config.toml allows it; or do it outside of ion';
      const otherwise = name === '.husky' ? '; HUSKY=0 in front of the command does without' : '';
      return `sandbox.unprotect = [${tomlString(name)}] in ~/.ion/config.toml allows it${otherwise}`;
    },
  },
  stream: {
    protection: 'streams',
    did: 'write to',
    why: 'it was given to the run for reading, and others may read it',
    allows: () => unreachable,
  },
  'stream-read': {
    protection: 'streams',
    did: 'read from',
    why: 'it was given to the run for writing, and what is in it belongs to its reader',
    allows: () => unreachable,
  },
  'stream-appended': {
    protection: 'streams-appended',
    did: 'change what is in',
    why: 'it was given to the run for appending',
    allows: () => unreachable,
  },
  'denied-path': {
    protection: 'denied-paths',
    did: 'change',
    why: 'denied by denied_paths',
    allows: (_target, _home, entry) => howToOpen(entry?.origin ?? {layer: 'default'}),
  },
  'denied-command': {
    protection: 'denied-exec',
    did: 'execute',
    why: 'denied by deny_commands',
    allows: () => 'take the pattern out of deny_commands to allow it',
  },
  'read-mode': {
    protection: 'read-programs',
    did: 'execute',
    why: 'read mode starts only what the command names',
    allows: () => 'run it in write mode: leave --read away, or mode = "write"',
  },
  'denied-rule': {
    protection: 'denied-exec',
    did: 'execute',
    why: 'denied by a rule',
    allows: () => 'take the rule out of that config to allow it',
  },
  network: {
    protection: 'network',
    did: 'reach',
    why: 'the network is closed',
    allows: (target) =>
      /^(?:127\.|\[::1\]:|\[::ffff:127\.)/.test(target)
        ? 'sandbox.network = "loopback" in ~/.ion/config.toml allows it where the server is one of the same run, "full" everywhere'
        : 'sandbox.network = "full" in ~/.ion/config.toml allows it',
  },
  loopback: {
    protection: 'network',
    did: 'listen on',
    why: 'the network is closed',
    allows: () => 'sandbox.network = "loopback" in ~/.ion/config.toml allows it',
  },
  'beyond-loopback': {
    protection: 'loopback',
    did: 'listen on',
    why: 'an address that is not of the loopback',
    allows: () => 'sandbox.network = "full" in ~/.ion/config.toml allows it',
  },
  'outside-server': {
    protection: 'loopback-own',
    did: 'connect to',
    why: 'a server of a process outside',
    allows: () => 'sandbox.network = "full" in ~/.ion/config.toml allows it',
  },
  'unix-socket': {
    protection: 'unix-sockets',
    did: 'connect to',
    why: 'a socket of a process outside',
    allows: (target) =>
      target.startsWith('@')
        ? unreachable
        : `sandbox.unix_sockets = [${tomlString(target)}] in ~/.ion/config.toml allows it; what its server does for the command is not confined`,
  },
  signal: outOfReach('signals', 'signal'),
  scheduling: outOfReach('scheduling', 'change the scheduling of'),
};

const inGit =
  /\/(\.git\/(?:modules\/.+?\/|worktrees\/[^/]+\/)?(?:hooks|config\.worktree|config|commondir|info\/attributes))(?:\/|$)/;

/** `/a/b/.vscode/x` → `.vscode`: the protected name in a path, as it is protected, whatever the capitals. */
function nameOf(target: string): string {
  const git = inGit.exec(target) ?? inGit.exec(target.toLowerCase());
  if (git) return git[1]!;
  const names = target.split('/');
  const known = names.findLast((name) => autorunNames.some((one) => one.name === name.toLowerCase()));
  if (known) return known.toLowerCase();
  const at = names.findLastIndex((name) => name.startsWith('.'));
  if (at === -1) return target;
  // Folders of which home has only a part protected: `.config/autostart`.
  const shared = /^\.(?:config|cargo|local|cache)$/.test(names[at]!);
  return names.slice(at, shared ? at + 2 : at + 1).join('/');
}

/** The root, a system folder, a home or what is hidden in it (but for what one program notes there), or a folder of homes. */
function tooBroad(folder: string, home: string | undefined): boolean {
  if (isOfMachine(folder)) return true;
  if (home !== undefined && home !== '/') {
    if (isWithin(home, folder)) return true;
    const inHome = folder.slice(home.length + 1);
    if (isWithin(folder, home)) return inHome.startsWith('.') && !inHome.startsWith('.local/state/');
  }
  return /^\/(?:(?:usr|etc|bin|sbin|lib\w*|boot|dev|proc|sys|run|var|root|home|opt)(?:\/.*)?)?$/.test(folder)
    ? !/^\/(?:home\/[^/]+|root|opt|var)\/[^.]/.test(folder)
    : false;
}

function folderOf(target: string): string {
  return target.slice(0, Math.max(target.lastIndexOf('/'), 1));
}
