import {isInStepFolder} from '../step-files.ts';
import {locationOf} from '../../config/read/origin.ts';
import {quoted, type Message} from '../../errors.ts';
import {adviceFor, deniedEntry, refusedBy} from './advice.ts';
import {limitText, timeoutText} from './limit-words.ts';
import type {CountedViolation, Refusal} from './refusal.ts';
import {repairText} from './repair-words.ts';
import {helpOf} from './setting-advice.ts';
import {networkTableOrigin} from './network-denied-by.ts';
import {isNameServer, isNetworkRule} from './network-target.ts';
import {violationRules} from './violation-rules.ts';
import {baseName} from '../../system/base-name.ts';

/**
 * The message for a refusal: the event, the reason, the place of the setting, and the setting that would allow it. Written for a
 * person: audience.ts adapts it for a program. Pure.
 */
export function messageFor(refusal: Refusal): Message {
  return {...textOf(refusal), help: helpOf(adviceFor(refusal)) || undefined};
}

function textOf(refusal: Refusal): Pick<Message, 'text' | 'at'> {
  switch (refusal.kind) {
    case 'violation':
      return violationText(refusal);
    case 'repository':
      return repositoryText(refusal);
    case 'named-path':
      return {text: `${quoted(refusal.requested)} ${namedPathWhy[refusal.rule]}`};
    case 'variables':
      return {
        text: `the command does not get ${refusal.names.map((name) => quoted(name)).join(', ')}: environment.exclude removes names that look like secrets`,
      };
    case 'limit':
      return limitText(refusal.event, refusal.limits);
    case 'timeout':
      return timeoutText(refusal.limits);
    case 'hint':
      return {text: refusal.text};
    case 'repair':
      return {text: repairText(refusal.event)};
    case 'path-check':
      return {text: `denied: ${refusal.problem.what}`};
    case 'approved-as-read':
      return {
        text: `denied: ${quoted(refusal.command)} was approved because it only reads, but it tried to change ${quoted(refusal.target)}`,
      };
  }
}

const namedPathWhy = {
  unreadable: 'is outside the read roots',
  outside: 'is outside the write roots',
  protected: 'is protected or contains a protected file: programs outside the sandbox run or read it',
} as const;

function repositoryText({
  violations: [first, ...others],
  settings,
}: Extract<Refusal, {kind: 'repository'}>): Pick<Message, 'text' | 'at'> {
  if (others.length === 0) return violationText({kind: 'violation', violation: first, settings});
  const programs = new Set([first, ...others].map(({program}) => program));
  const more = programs.size === 1 ? '' : ' and other programs';
  const {why, did} = violationRules[first.rule];
  return {
    text: `blocked: ${whoIs(first)}${more} could not ${did} ${others.length + 1} paths of the repository outside the current folder, such as ${quoted(first.target)} (${why})`,
  };
}

/** The end of the relay concerns the run as a whole: no process asked for it. */
function whoIs({program, pid}: CountedViolation): string {
  if (pid === 0) return 'the run';
  const name = program === '' ? 'a process' : baseName(program);
  return `${name} (pid ${pid})`;
}

/** A user knows the names that a program asked for, not the address of the name server. */
function didTo(violation: CountedViolation, did: string): string {
  return isNameServer(violation) ? 'look up a name at' : did;
}

function violationText({
  violation,
  settings,
}: Extract<Refusal, {kind: 'violation'}>): Pick<Message, 'text' | 'at'> {
  const {operation, rule, target, syscall, count, detail} = violation;
  const {why, did} = violationRules[rule];
  const by = refusedBy(violation, settings);
  const verb = operation === 'exec' ? 'execute' : operation === 'read' ? 'read' : didTo(violation, did);
  const times = count > 1 ? `, ${count} times` : '';
  const because = by
    ? by.why
    : (stepFileWhy(rule, target) ??
      (detail === '' || isNetworkRule(rule) ? why : `${why} ${quoted(detail)}`));
  return {
    text: `blocked: ${whoIs(violation)} could not ${verb} ${quoted(target)} (${syscall}: ${because}${times})`,
    at: locationOf(
      (by ?? deniedEntry(violation, settings))?.origin ??
        networkTableOrigin(violation, settings) ?? {layer: 'default'},
    ),
  };
}

/** The message itself contains it, because a program reads no help line. */
function stepFileWhy(rule: CountedViolation['rule'], target: string): string | undefined {
  const isWrite = rule === 'outside' || rule === 'protected';
  return isWrite && isInStepFolder(target)
    ? 'the runner reads it for later steps; only GITHUB_OUTPUT and GITHUB_STEP_SUMMARY are open, in write mode'
    : undefined;
}
