import type {EventBodies} from '../audit/events.ts';
import {placeOf} from '../config/origin.ts';
import type {ResolvedConfig, Settings, Sourced} from '../config/settings.ts';
import {quoted, type Message} from '../errors.ts';
import {howToOpen} from '../policy/denied-paths.ts';
import {isWithin} from '../sandbox/paths.ts';
import type {AutorunEvent, RunEvent, Violation} from '../sandbox/backend.ts';
import type {ProtectionId} from '../sandbox/matrix.ts';
import {protectedBy, type ProtectedBy, type ProtectingSettings} from './protected-by.ts';

/** A violation with how often it happened. */
export interface CountedViolation extends Violation {
  readonly count: number;
}

export interface Violations {
  readonly list: readonly CountedViolation[];
  /** Kinds beyond those in the list. */
  readonly untold: number;
}

/** Put together what the supervisor told of a run. Pure. */
export function gatherViolations(events: readonly RunEvent[]): Violations {
  const counts = new Map<number, number>();
  let untold = 0;
  for (const event of events) {
    if (event.kind === 'count') counts.set(event.number, event.count);
    if (event.kind === 'untold') untold = event.count;
  }
  const list = events
    .filter((event) => event.kind === 'violation')
    .map((violation) => ({...violation, count: counts.get(violation.number) ?? 1}));
  return {list, untold};
}

interface Rule {
  readonly protection: string;
  readonly did: string;
  readonly why: string;
  /** `entry` is that of denied_paths which refused it. */
  readonly allows: (target: string, home: string | undefined, entry?: Sourced<string>) => string;
}

const unreachable = 'no setting allows it: do it outside of ion';

/** Nothing opens a way to processes outside but no sandbox at all. */
const outOfReach = (protection: ProtectionId, did: string): Rule => ({
  protection,
  did,
  why: 'not of this run',
  allows: () => unreachable,
});

/** By rule: which protection it rests on, what to say of it, and what would allow it. */
const rules: Readonly<Record<Violation['rule'], Rule>> = {
  unreadable: {
    protection: 'reads',
    did: 'read',
    why: 'outside the read roots',
    allows: (target) => `sandbox.read_roots = ["${target}"] in your own config allows it`,
  },
  outside: {
    protection: 'writes',
    did: 'change',
    why: 'outside the write roots',
    allows: (target, home) => {
      const folder = folderOf(target);
      // A root that opens home or the system is no advice to give.
      if (tooBroad(folder, home)) return 'write below the workspace or the temp folder instead';
      return `sandbox.write_roots = ["${folder}"] in your own config allows it`;
    },
  },
  protected: {
    protection: 'autorun',
    did: 'change',
    why: 'something outside the sandbox runs or reads it',
    allows: (target) => `sandbox.unprotect = ["${nameOf(target)}"] in your own config allows it`,
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
  network: {
    protection: 'network',
    did: 'reach',
    why: 'the network is closed',
    allows: (target) =>
      /^(?:127\.|\[::1\]:|\[::ffff:127\.)/.test(target)
        ? 'sandbox.network = "loopback" in your own config allows it where the server is one of the same run, "full" everywhere'
        : 'sandbox.network = "full" in your own config allows it',
  },
  loopback: {
    protection: 'network',
    did: 'listen on',
    why: 'the network is closed',
    allows: () => 'sandbox.network = "loopback" in your own config allows it',
  },
  'beyond-loopback': {
    protection: 'loopback',
    did: 'listen on',
    why: 'an address that is not of the loopback',
    allows: () => 'sandbox.network = "full" in your own config allows it',
  },
  'outside-server': {
    protection: 'loopback-own',
    did: 'connect to',
    why: 'a server of a process outside',
    allows: () => 'sandbox.network = "full" in your own config allows it',
  },
  'unix-socket': {
    protection: 'unix-sockets',
    did: 'connect to',
    why: 'a socket of a process outside',
    allows: (target) =>
      target.startsWith('@')
        ? unreachable
        : `sandbox.unix_sockets = ["${target}"] in your own config allows it; what its server does for the command is not confined`,
  },
  signal: outOfReach('signals', 'signal'),
  scheduling: outOfReach('scheduling', 'change the scheduling of'),
};

/** What would allow what a rule has refused. */
export function whatAllows(rule: Violation['rule'], target: string, home: string | undefined): string {
  return rules[rule].allows(target, home);
}

/** `/a/b/.vscode/x` → `.vscode`: the protected name in a path. */
function nameOf(target: string): string {
  const inGit =
    /\/(\.git\/(?:modules\/.+?\/|worktrees\/[^/]+\/)?(?:hooks|config\.worktree|config|commondir|info\/attributes))(?:\/|$)/.exec(
      target,
    );
  if (inGit) return inGit[1]!;
  // A whole git folder was to be moved away from over its hooks.
  if (target.endsWith('/.git')) return '.git/hooks';
  const names = target.split('/');
  const at = names.findLastIndex((name) => name.startsWith('.'));
  if (at === -1) return target;
  // Folders of which home has only a part protected: `.config/autostart`.
  const shared = /^\.(?:config|cargo|local|cache)$/.test(names[at]!);
  return names.slice(at, shared ? at + 2 : at + 1).join('/');
}

/** The root, a system folder, a home or what is hidden in it, or a folder of homes. */
function tooBroad(folder: string, home: string | undefined): boolean {
  if (home !== undefined && home !== '/') {
    if (isWithin(home, folder)) return true;
    if (isWithin(folder, home)) return folder[home.length + 1] === '.';
  }
  return /^\/(?:(?:usr|etc|bin|sbin|lib\w*|boot|dev|proc|sys|run|var|root|home|opt)(?:\/.*)?)?$/.test(folder)
    ? !/^\/(?:home\/[^/]+|root|opt|var)\/[^.]/.test(folder)
    : false;
}

function folderOf(target: string): string {
  return target.slice(0, Math.max(target.lastIndexOf('/'), 1));
}

export function violationRecord(
  violation: CountedViolation,
  runId: string,
  settings: RefusingSettings,
): EventBodies['sandbox.violation'] {
  const {number, operation, syscall, target, program, pid, rule, count} = violation;
  return {
    violation_id: `${runId}-${number}`,
    operation,
    syscall,
    path: target,
    program: program === '' ? null : program,
    pid,
    protection: operation === 'exec' && rule === 'unreadable' ? 'exec' : rules[rule].protection,
    count,
    would_allow:
      settingOf(violation, settings)?.help ??
      rules[rule].allows(target, settings.home, entryOf(violation, settings.deniedPaths)),
  };
}

/** What was found after the run has no program and no call: nobody was seen, or it is undone already. */
export function autorunRecord(
  {path, did, message}: AutorunEvent,
  number: number,
  runId: string,
): EventBodies['sandbox.violation'] {
  return {
    violation_id: `${runId}-autorun-${number}`,
    operation: did,
    syscall: null,
    path,
    program: null,
    pid: null,
    protection: 'autorun',
    count: 1,
    would_allow: message.help ?? null,
  };
}

/** The entry of denied_paths that refused it. */
function entryOf(
  {rule, detail}: Violation,
  deniedPaths: readonly Sourced<string>[],
): Sourced<string> | undefined {
  return rule === 'denied-path' ? deniedPaths.find(({value}) => value === detail) : undefined;
}

/** The setting that closed it, where no default did. */
function settingOf({rule, target}: Violation, settings: RefusingSettings): ProtectedBy | undefined {
  return rule === 'protected' ? protectedBy(target, settings) : undefined;
}

const shownAtMost = 5;

/** Is it a write that a toolchain's preset expects to be refused? `/proc/self` in the preset is the one that tried. */
export function isExpected({operation, rule, target, pid}: Violation, expected: readonly string[]): boolean {
  if (operation !== 'write' || rule !== 'outside') return false;
  const path = target.replace(`/proc/${pid}/`, '/proc/self/');
  return expected.some((one) => isWithin(path, one));
}

/**
 * Is it a try that its program goes on without? To have any port at all, as urllib3 does when it is loaded; and to link the objects of
 * the repository that git clones: it copies them then.
 */
export function isProbe({rule, target, syscall}: Violation): boolean {
  if (rule === 'loopback') return target.endsWith(':0');
  return (
    rule === 'outside' && syscall.startsWith('link') && /\/objects\/(?:[0-9a-f]{2}|pack)\/[^/]+$/.test(target)
  );
}

/** What refuses by name, and the home, which is not to be opened as a whole. */
export interface RefusingSettings extends ProtectingSettings, Pick<Settings, 'deniedPaths'> {
  readonly home: string | undefined;
}

export function refusingSettings(
  {settings, trustedFiles}: Pick<ResolvedConfig, 'settings' | 'trustedFiles'>,
  home: string | undefined,
): RefusingSettings {
  return {...settings, trustedFiles, home};
}

/** What decides which refusals are worth a line, and what the line names. */
export interface ToldOf {
  /** Paths whose refusal a preset expects. */
  readonly expected: readonly string[];
  readonly settings: RefusingSettings;
  /** Did the command end with another code than 0? */
  readonly hasFailed: boolean;
}

/**
 * The closing lines: what was refused, also when the command itself says nothing of it. Not what a toolchain's preset expects
 * to be refused, such as cargo's lock on a registry that it may only read, and a probe only of a command that failed.
 */
export function violationMessages(
  {list, untold}: Violations,
  {expected, settings, hasFailed}: ToldOf,
): Message[] {
  const told = list.filter((one) => !isExpected(one, expected) && (hasFailed || !isProbe(one)));
  const messages = told.slice(0, shownAtMost).map((violation) => messageOf(violation, settings));
  const more = told.length - messages.length + untold;
  if (more > 0) messages.push({text: `blocked: ${more} more kinds of refusals; --events tells each`});
  return messages;
}

function messageOf(violation: CountedViolation, settings: RefusingSettings): Message {
  const {operation, rule, program, pid, target, syscall, count, detail} = violation;
  const {why, allows} = rules[rule];
  const entry = entryOf(violation, settings.deniedPaths);
  const setting = settingOf(violation, settings);
  const did = operation === 'exec' ? 'execute' : operation === 'read' ? 'read' : rules[rule].did;
  const who = program === '' ? 'a process' : program.slice(program.lastIndexOf('/') + 1);
  const times = count > 1 ? `, ${count} times` : '';
  const by = setting ? setting.why : detail === '' ? why : `${why} ${quoted(detail)}`;
  return {
    text: `blocked: ${who} (pid ${pid}) could not ${did} ${quoted(target)} (${syscall}: ${by}${times})`,
    at: placeOf((setting ?? entry)?.origin ?? {layer: 'default'}),
    help: setting?.help ?? allows(target, settings.home, entry),
  };
}
