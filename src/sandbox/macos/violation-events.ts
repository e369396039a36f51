import type {RunEvent} from '../run-event.ts';
import type {ViolationRule} from '../violation.ts';
import {isWithin} from '../../system/is-within.ts';
import {ancestorsOf, type SeatbeltPlan} from './seatbelt-plan.ts';
import type {Violation} from './seatbelt-log.ts';

/** The events for refusals: one event per kind, and its count. Pure. */
export function violationEvents(found: readonly Violation[], plan: SeatbeltPlan): RunEvent[] {
  const kinds = new Map<string, {readonly violation: Violation; count: number}>();
  for (const violation of found) {
    if (!ruleOf(violation, plan)) continue;
    const key = `${violation.operation} ${violation.object}`;
    const known = kinds.get(key);
    if (known) known.count++;
    else kinds.set(key, {violation, count: 1});
  }
  return [...kinds.values()].flatMap(({violation, count}, number): RunEvent[] => {
    const {operation, pid, program, object} = violation;
    const rule = ruleOf(violation, plan)!;
    const kind = operation.startsWith('network-') ? 'connect' : 'write';
    const event: RunEvent = {
      kind: 'violation',
      number,
      operation: kind,
      syscall: operation,
      rule,
      pid,
      program,
      target: object,
      detail: '',
    };
    return count > 1 ? [event, {kind: 'count', number, count}] : [event];
  });
}

/** Undefined for unreported operations: reads, and services that programs look up in vain. */
function ruleOf({operation, object}: Violation, plan: SeatbeltPlan): ViolationRule | undefined {
  if (operation.startsWith('network-')) return object.startsWith('/') ? 'unix-socket' : 'network';
  if (plan.report === 'minimal') return undefined;
  if (!operation.startsWith('file-write') && operation !== 'file-link') return undefined;
  const folded = object.toLowerCase();
  const kept = plan.protect.some((file) => isWithin(folded, file.toLowerCase()));
  const holds = ancestorsOf(plan).some((folder) => folder.toLowerCase() === folded);
  return kept || holds ? 'protected' : 'outside';
}
