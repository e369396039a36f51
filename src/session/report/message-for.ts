import {locationOf} from '../../config/read/origin.ts';
import {quoted, type Message} from '../../errors.ts';
import {adviceFor, deniedEntry, refusedBy} from './advice.ts';
import {limitText, timeoutText} from './limit-words.ts';
import type {Refusal} from './refusal.ts';
import {repairText} from './repair-words.ts';
import {helpOf} from './setting-advice.ts';
import {violationRules} from './violation-rules.ts';
import {baseName} from '../../system/base-name.ts';

/** The words for a refusal: what, why, where it is set, and what would allow it. For a person; audience.ts for a program. Pure. */
export function messageFor(refusal: Refusal): Message {
  return {...textOf(refusal), help: helpOf(adviceFor(refusal)) || undefined};
}

function textOf(refusal: Refusal): Pick<Message, 'text' | 'at'> {
  switch (refusal.kind) {
    case 'violation':
      return violationText(refusal);
    case 'named-path':
      return {text: `${quoted(refusal.requested)} ${namedPathWhy[refusal.rule]}`};
    case 'variables':
      return {
        text: `the command did not get ${refusal.names.map((name) => quoted(name)).join(', ')}: environment.exclude removes names that look like secrets`,
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

function violationText({
  violation,
  settings,
}: Extract<Refusal, {kind: 'violation'}>): Pick<Message, 'text' | 'at'> {
  const {operation, rule, program, pid, target, syscall, count, detail} = violation;
  const {why, did} = violationRules[rule];
  const by = refusedBy(violation, settings);
  const verb = operation === 'exec' ? 'execute' : operation === 'read' ? 'read' : did;
  const who = program === '' ? 'a process' : baseName(program);
  const times = count > 1 ? `, ${count} times` : '';
  const because = by ? by.why : detail === '' ? why : `${why} ${quoted(detail)}`;
  return {
    text: `blocked: ${who} (pid ${pid}) could not ${verb} ${quoted(target)} (${syscall}: ${because}${times})`,
    at: locationOf((by ?? deniedEntry(violation, settings))?.origin ?? {layer: 'default'}),
  };
}
