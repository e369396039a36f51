import type {EventBodies} from '../../audit/events.ts';
import {placeOf} from '../../config/read/origin.ts';
import type {ResolvedConfig, Rule, Settings, Sourced} from '../../config/settings.ts';
import {quoted, type Message} from '../../errors.ts';
import {boundaryOf, type Boundary} from '../../sandbox/boundary.ts';
import type {AutorunEvent, RunEvent, Violation} from '../../sandbox/launch.ts';
import {adviceTo, messageTo, type Audience} from './audience.ts';
import {deniedBy, type DenyingSettings} from './denied-by.ts';
import {isExpected, isProbe} from './expected.ts';
import {machineKindOf} from './machine-programs.ts';
import {protectedBy, type ProtectedBy, type ProtectingSettings} from './protected-by.ts';
import {rules, unreachable} from './violation-rules.ts';

/** A violation with how often it happened. */
export interface CountedViolation extends Violation {
  readonly count: number;
}

export interface Violations {
  readonly list: readonly CountedViolation[];
  /** Refusals of other kinds than those in the list: the supervisor only counts them. */
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

/** No setting opens these in read mode. */
const closedByReadMode: ReadonlySet<Violation['rule']> = new Set([
  'outside',
  'protected',
  'network',
  'loopback',
  'beyond-loopback',
  'outside-server',
  'unix-socket',
]);

/** What would allow it: what the setting that closed it says, else its rule; and nothing for what is no task for a sandbox. */
function adviceFor(violation: CountedViolation, settings: RefusingSettings): string {
  const {rule, target, program} = violation;
  if (settings.boundary === 'read' && closedByReadMode.has(rule))
    return rules['read-mode'].allows(target, undefined);
  const setting = settingOf(violation, settings);
  if (setting) return setting.help;
  if ((rule === 'outside' || rule === 'unreadable') && machineKindOf(program)) return unreachable;
  return rules[rule].allows(target, settings.home, entryOf(violation, settings.deniedPaths));
}

export function violationRecord(
  violation: CountedViolation,
  id: string,
  settings: RefusingSettings,
  audience: Audience = 'person',
): EventBodies['sandbox.violation'] {
  const {operation, syscall, target, program, pid, rule, count} = violation;
  return {
    violation_id: id,
    operation,
    syscall,
    path: target,
    program: program === '' ? null : program,
    pid,
    protection: operation === 'exec' && rule === 'unreadable' ? 'exec' : rules[rule].protection,
    count,
    would_allow: adviceTo(audience, adviceFor(violation, settings), id) ?? null,
  };
}

/** What was found after the run has no program and no call: nobody was seen, or it is undone already. */
export function autorunRecord(
  {path, did, message}: AutorunEvent,
  id: string,
): EventBodies['sandbox.violation'] {
  return {
    violation_id: id,
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
function settingOf(violation: Violation, settings: RefusingSettings): ProtectedBy | undefined {
  const {rule, target} = violation;
  if (rule === 'network' && settings.networkAsks) {
    const {value, origin} = settings.networkAsks;
    return {
      why: `approval = "${value}" asks before a command has the network`,
      origin,
      help: 'an allow rule for this command in your own config approves it beforehand',
    };
  }
  return rule === 'protected' ? protectedBy(target, settings) : deniedBy(violation, settings);
}

const shownAtMost = 5;

/** What of a session it is that refuses. */
interface RefusingSession {
  readonly config: Pick<ResolvedConfig, 'settings' | 'trustedFiles'>;
  /** The settings' and those that ion stores itself. */
  readonly rules: readonly Rule[];
  readonly eventsFile: string | undefined;
  readonly networkAsks: Settings['approval'] | undefined;
  readonly host: {readonly environment: Readonly<Record<string, string | undefined>>};
}

/** What refuses by name, and the home, which is not to be opened as a whole. */
export interface RefusingSettings extends ProtectingSettings, DenyingSettings {
  readonly home: string | undefined;
  readonly boundary?: Boundary;
  /** The row by which the network of the settings waits for an approval that this run does not have. */
  readonly networkAsks?: Settings['approval'] | undefined;
}

export function refusingSettings(session: RefusingSession): RefusingSettings {
  const {config, rules: denying, eventsFile, networkAsks, host} = session;
  const {settings, trustedFiles} = config;
  return {
    ...settings,
    rules: denying,
    trustedFiles,
    eventsFile,
    networkAsks,
    boundary: boundaryOf(settings),
    home: host.environment['HOME'],
  };
}

/** What decides which refusals are worth a line, and what the line names. */
export interface ToldOf {
  /** Paths whose refusal a preset expects. */
  readonly expected: readonly string[];
  readonly settings: RefusingSettings;
  /** Did the command end with another code than 0? */
  readonly hasFailed: boolean;
  readonly audience?: Audience;
  readonly idOf?: (violation: Violation) => string;
}

/**
 * The closing lines: what was refused, also when the command itself says nothing of it. Not what a toolchain's preset expects
 * to be refused, such as cargo's lock on a registry that it may only read, and a probe only of a command that failed.
 */
export function violationMessages(
  {list, untold}: Violations,
  {expected, settings, hasFailed, audience = 'person', idOf}: ToldOf,
): Message[] {
  const told = list.filter((one) => !isExpected(one, expected) && (hasFailed || !isProbe(one)));
  const messages = told
    .slice(0, shownAtMost)
    .map((violation) => messageTo(audience, messageOf(violation, settings), idOf?.(violation)));
  const more = told.length - messages.length;
  if (more > 0)
    messages.push({text: `blocked: ${more} more kinds of refusals; --events and --json tell each`});
  if (untold > 0)
    messages.push({text: `blocked: ${untold} more refusals, of kinds that were too many to be told`});
  return messages;
}

function messageOf(violation: CountedViolation, settings: RefusingSettings): Message {
  const {operation, rule, program, pid, target, syscall, count, detail} = violation;
  const {why} = rules[rule];
  const entry = entryOf(violation, settings.deniedPaths);
  const setting = settingOf(violation, settings);
  const did = operation === 'exec' ? 'execute' : operation === 'read' ? 'read' : rules[rule].did;
  const who = program === '' ? 'a process' : program.slice(program.lastIndexOf('/') + 1);
  const times = count > 1 ? `, ${count} times` : '';
  const by = setting ? setting.why : detail === '' ? why : `${why} ${quoted(detail)}`;
  return {
    text: `blocked: ${who} (pid ${pid}) could not ${did} ${quoted(target)} (${syscall}: ${by}${times})`,
    at: placeOf((setting ?? entry)?.origin ?? {layer: 'default'}),
    help: adviceFor(violation, settings),
  };
}
