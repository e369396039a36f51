import type {EventBodies} from '../../audit/events.ts';
import type {ResolvedConfig, Rule, Settings} from '../../config/settings.ts';
import type {Message} from '../../errors.ts';
import {boundaryOf} from '../../sandbox/boundary.ts';
import type {AutorunEvent, RunEvent} from '../../sandbox/run-event.ts';
import type {Violation} from '../../sandbox/violation.ts';
import {adviceTo, messageTo, type Audience} from './audience.ts';
import {adviceFor, isInOpenableRepository} from './advice.ts';
import {isExpected, isProbe} from './expected.ts';
import {messageFor} from './message-for.ts';
import type {CountedViolation, RefusingSettings} from './refusal.ts';
import {isNetworkRule, networkTargetOf} from './network-target.ts';
import {repairAdvice} from './repair-words.ts';
import {helpOf} from './setting-advice.ts';
import {violationRules} from './violation-rules.ts';

export interface Violations {
  readonly list: readonly CountedViolation[];
  /** The number of further refusals of other kinds. The supervisor only counts them. */
  readonly unreported: number;
}

/** Collects the reports of the supervisor about a run. Pure. */
export function gatherViolations(events: readonly RunEvent[]): Violations {
  const ends = new Map<number, {readonly count: number; readonly failed?: boolean}>();
  let unreported = 0;
  for (const event of events) {
    if (event.kind === 'count') ends.set(event.number, event);
    if (event.kind === 'unreported') unreported = event.count;
  }
  const list = events
    .filter((event) => event.kind === 'violation')
    .map((violation) => {
      const {count = 1, failed = false} = ends.get(violation.number) ?? {};
      return {...violation, count, failed};
    });
  return {list, unreported};
}

export function violationRecord(
  violation: CountedViolation,
  id: string,
  settings: RefusingSettings,
  {audience = 'person', expected}: {readonly audience?: Audience; readonly expected: readonly string[]},
): EventBodies['sandbox.violation'] {
  const {operation, syscall, target, program, pid, pidInside, rule, count} = violation;
  return {
    violation_id: id,
    operation,
    syscall,
    path: target,
    program: program === '' ? null : program,
    pid,
    pid_inside: pidInside ?? null,
    protection: operation === 'exec' && rule === 'unreadable' ? 'exec' : violationRules[rule].protection,
    count,
    would_allow: adviceTo(audience, helpOf(adviceFor({kind: 'violation', violation, settings})), id) ?? null,
    rule,
    ...partsOf(violation),
    chain: violation.asked?.chain ?? [],
    chain_complete: violation.asked?.whole ?? false,
    expected: isExpected(violation, expected),
    program_failed: violation.failed ?? false,
  };
}

/** The text of the rule beside the target. That of a network table has three parts. */
function partsOf({rule, detail}: CountedViolation) {
  if (!isNetworkRule(rule)) return {detail, name: null, address: null, port: null};
  const {name, address, port} = networkTargetOf(detail);
  return {detail, name: name || null, address: address || null, port: port || null};
}

/** For an event that no refused call caused. */
export const notOfTheBoundary = {
  rule: null,
  detail: null,
  name: null,
  address: null,
  port: null,
  chain: [],
  chain_complete: false,
  expected: false,
  program_failed: false,
};

/**
 * The record of a change that ion found after the run. It has no program and no call: ion did not see it happen, or
 * has already reverted it.
 */
export function autorunRecord(event: AutorunEvent, id: string): EventBodies['sandbox.violation'] {
  return {
    violation_id: id,
    operation: event.repair.did,
    syscall: null,
    path: event.path,
    program: null,
    pid: null,
    pid_inside: null,
    protection: 'autorun',
    count: 1,
    would_allow: helpOf(repairAdvice(event)),
    ...notOfTheBoundary,
  };
}

const shownAtMost = 5;

/** The parts of a session that refuse. */
interface RefusingSession {
  readonly config: Pick<ResolvedConfig, 'settings' | 'trustedFiles'>;
  /** The rules of the settings, and the rules that ion stores. */
  readonly rules: readonly Rule[];
  readonly eventsFile: string | undefined;
  readonly networkAsks: Settings['approval'] | undefined;
  /** See RefusingSettings. */
  readonly openableRepository: string | undefined;
  readonly host: {readonly environment: Readonly<Record<string, string | undefined>>};
}

export function refusingSettings(session: RefusingSession): RefusingSettings {
  const {config, rules: denying, eventsFile, networkAsks, openableRepository, host} = session;
  const {settings, trustedFiles} = config;
  return {
    ...settings,
    rules: denying,
    trustedFiles,
    eventsFile,
    networkAsks,
    openableRepository,
    boundary: boundaryOf(settings),
    approvedAsRead: settings.mode.value === 'read' && settings.mode.origin.layer === 'default',
    home: host.environment['HOME'],
  };
}

/** The facts that decide which refusals get a line, and which names are in it. */
export interface ReportOptions {
  /** Paths whose refusal a preset expects. */
  readonly expected: readonly string[];
  readonly settings: RefusingSettings;
  /** Whether the command's exit code was not 0. */
  readonly hasFailed: boolean;
  readonly audience?: Audience;
  readonly idOf?: (violation: Violation) => string;
}

/**
 * The closing lines: the refusals, even those that the command itself does not report. Refusals that a toolchain's preset expects
 * have no line. An example is cargo's lock on a registry that it may only read. An attempt that its program continues without
 * gets a line only if the command failed.
 */
export function violationMessages(
  {list, unreported}: Violations,
  {expected, settings, hasFailed, audience = 'person', idOf}: ReportOptions,
): Message[] {
  const reported = list.filter((one) => !isExpected(one, expected) && (hasFailed || !isProbe(one)));
  const [first, ...others] = reported.filter((one) => isInOpenableRepository(one, settings));
  const apart = reported.filter((one) => !isInOpenableRepository(one, settings));
  const ofRepository = first && ({kind: 'repository', violations: [first, ...others], settings} as const);
  const messages = [
    ...(ofRepository ? [messageTo(audience, messageFor(ofRepository), idOf?.(first))] : []),
    ...apart
      .slice(0, shownAtMost)
      .map((violation) =>
        messageTo(audience, messageFor({kind: 'violation', violation, settings}), idOf?.(violation)),
      ),
  ];
  const more = apart.length - shownAtMost;
  if (more > 0)
    messages.push({text: `blocked: ${more} more kinds of refusals; --events and --json report each`});
  if (unreported > 0)
    messages.push({text: `blocked: ${unreported} more refusals, of too many kinds to report each`});
  return messages.map(withoutHelpOfNext);
}

/** If several messages in a row have the same advice, only the last one shows it. */
function withoutHelpOfNext(message: Message, index: number, all: readonly Message[]): Message {
  return message.help === all[index + 1]?.help ? {...message, help: undefined} : message;
}
