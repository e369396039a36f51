import type {Sourced} from '../../config/settings.ts';
import {baseName} from '../../system/base-name.ts';
import {isWithin} from '../../system/is-within.ts';
import {deniedBy} from './denied-by.ts';
import {limitAdvice} from './limit-words.ts';
import {machineKindOf} from './machine-programs.ts';
import {networkDeniedBy} from './network-denied-by.ts';
import {isNetworkRule} from './network-target.ts';
import {readAdvice, writeAdvice} from './path-advice.ts';
import {protectedBy} from './protected-by.ts';
import type {CountedViolation, Refusal, RefusedBy, RefusingSettings} from './refusal.ts';
import {repairAdvice} from './repair-words.ts';
import {bySetting, inWords, noSetting, type Advice} from './setting-advice.ts';
import {violationRules} from './violation-rules.ts';

/**
 * The advice about a refused action: the setting that would have allowed it. Never proposes to open `/`, a system folder, a whole
 * home or a secret (never-advised.ts). Pure.
 */
export function adviceFor(refusal: Refusal): Advice {
  switch (refusal.kind) {
    case 'violation':
      return violationAdvice(refusal.violation, refusal.settings);
    case 'repository':
      return violationAdvice(refusal.violations[0], refusal.settings);
    case 'named-path': {
      const {setting, note} = violationRules[refusal.rule].advice(refusal.path, refusal.home, {
        isWhole: refusal.isWhole === true,
      });
      const more = refusal.rule === 'unreadable' ? '; --explain reports every refused read' : '';
      return {...(setting ? {setting} : {}), note: `${note}${more}`};
    }
    case 'variables':
      return bySetting('environment.keep', refusal.names);
    case 'limit':
      return limitAdvice(refusal.event.limit, refusal.limits);
    case 'timeout':
      return limitAdvice('timeout', refusal.limits);
    case 'hint':
      return inWords(refusal.help);
    case 'repair':
      return repairAdvice(refusal.event);
    case 'path-check':
      return pathCheckAdvice(refusal);
    case 'approved-as-read':
      return inWords(`ion rules add --workspace allow command_prefix ${refusal.word}`);
  }
}

/** In read mode no setting allows these. */
const closedByReadMode: ReadonlySet<CountedViolation['rule']> = new Set([
  'outside',
  'protected',
  'network',
  'loopback',
  'beyond-loopback',
  'outside-server',
  'unix-socket',
  'unknown-socket',
]);

const approvedAsRead = inWords(
  "it ran within read mode's boundary, because it was approved as a command that only reads",
);

/**
 * The advice for a violation: from the setting that refused it, else from its rule. Changing the machine is not a
 * task for a sandbox, so no setting is proposed for that.
 */
function violationAdvice(violation: CountedViolation, settings: RefusingSettings): Advice {
  const {rule, target, program} = violation;
  if (settings.boundary === 'read' && (rule === 'read-mode' || closedByReadMode.has(rule)))
    return settings.approvedAsRead ? approvedAsRead : violationRules['read-mode'].advice(target, undefined);
  const by = refusedBy(violation, settings);
  if (by) return inWords(by.help);
  if ((rule === 'outside' || rule === 'unreadable') && machineKindOf(program)) return noSetting;
  if (isInOpenableRepository(violation, settings))
    return decidedBy(bySetting('sandbox.workspace', 'repository'), settings.workspace);
  const advice = violationRules[rule].advice(target, settings.home, {
    entry: deniedEntry(violation, settings),
    syscall: violation.syscall,
    detail: violation.detail,
    program: baseName(program),
  });
  return advice.setting?.key === 'sandbox.network' ? decidedBy(advice, settings.network) : advice;
}

/** A project's config ranks above the user's, so the line belongs into the project's. */
function decidedBy({setting, note}: Advice, value: Sourced<unknown> | undefined): Advice {
  return setting && value
    ? {setting: {...setting, decidedBy: value.origin}, note}
    : {...(setting ? {setting} : {}), note};
}

/**
 * Reports whether a write was refused in the run's own repository, outside the current folder. Git then does only
 * half of its work, and may still exit with 0. Pure.
 */
export function isInOpenableRepository(
  {rule, target}: Pick<CountedViolation, 'rule' | 'target'>,
  {openableRepository, boundary}: RefusingSettings,
): boolean {
  return (
    rule === 'outside' &&
    boundary !== 'read' &&
    openableRepository !== undefined &&
    isWithin(target, openableRepository)
  );
}

/** The setting that refused it, unless a default did. Pure. */
export function refusedBy(violation: CountedViolation, settings: RefusingSettings): RefusedBy | undefined {
  const {rule, target} = violation;
  if (rule === 'network' && settings.networkAsks) {
    const {value, origin} = settings.networkAsks;
    return {
      why: `approval = "${value}" asks before a command has the network`,
      origin,
      help: 'an allow rule for this command in ~/.ion/config.toml approves it',
    };
  }
  if (isNetworkRule(rule)) return networkDeniedBy(violation, settings);
  return rule === 'protected' ? protectedBy(target, settings) : deniedBy(violation, settings);
}

/** The entry of denied_paths that refused it. */
export function deniedEntry(
  {rule, detail}: CountedViolation,
  {deniedPaths}: RefusingSettings,
): Sourced<string> | undefined {
  return rule === 'denied-path' ? deniedPaths.find(({value}) => value === detail) : undefined;
}

const ofDoctor = '"ion doctor" shows what is missing';

/** Where the system has no sandbox. */
function pathCheckAdvice({
  problem: {kind, closed},
  settings,
  home,
}: Extract<Refusal, {kind: 'path-check'}>): Advice {
  if (kind === 'unclear')
    return inWords(
      `the system has no sandbox, so ion runs only commands that it understands in full: ${ofDoctor}`,
    );
  if (!closed)
    return inWords(`the system has no sandbox, so every named path must be in the roots: ${ofDoctor}`);
  if (kind === 'path')
    return closed.access === 'read' ? readAdvice(closed.path, home) : writeAdvice(closed.path, home, '');
  const by = protectedBy(closed.path, {...settings, trustedFiles: [], eventsFile: undefined});
  return by ? inWords(by.help) : violationRules.protected.advice(closed.path, home);
}
