import path from 'node:path';
import {findRefusedRun} from '../../audit/refusals.ts';
import {factsOf} from '../../library/one-run.ts';
import type {Denial} from '../../library/types.ts';
import type {Serving} from './serving.ts';
import {denialLine, denialRecord, failure, textResult, type ToolResult} from './tool-result.ts';

/** The boundary in force, or one refusal. Nothing in it says how to loosen a setting: the reader is a program. */
export function explain(serving: Serving, id: string | undefined): ToolResult {
  if (id === undefined) return inForce(serving);
  const denial = serving.denials.get(id) ?? recorded(serving, id);
  if (!denial) return failure('ion: there is no such denial\n', {id, found: false});
  return textResult(denialLine(denial), {
    ...denialRecord(denial),
    found: true,
    protection: denial.protection,
    chain: denial['chain'] ?? [],
  });
}

/** From the audit log: a refusal of an earlier connection, or of `ion run`. */
function recorded({session, host}: Serving, id: string): Denial | undefined {
  if (host.home === undefined || !/^[\da-f]{32}-\d+$/.test(id)) return undefined;
  const run = findRefusedRun(path.join(host.home, '.ion/audit'), {id});
  if (run === undefined || run === 'several' || run.workspace !== session.config.workspace) return undefined;
  const found = run.violations.find(({violation_id: one}) => one === id);
  return found && {...found, would_allow: `ask the user; denial ${id}`};
}

/** The text of `ion://state` too. */
export function stateOf({session, denials}: Serving) {
  const {mode, backend, enforced, cwd, network, read_roots, write_roots, downgrades} = factsOf(session);
  const latest = [...denials.values()].slice(-20).map(denialRecord);
  return {
    mode,
    backend,
    enforced,
    cwd,
    network,
    read_roots,
    write_roots,
    not_enforced: downgrades,
    denials: latest,
  };
}

function inForce(serving: Serving): ToolResult {
  const state = stateOf(serving);
  const lines = [
    `${state.mode} mode in ${state.cwd}, network ${state.network}, ${state.enforced ? `enforced by ${state.backend}` : 'not enforced'}`,
    `readable: ${state.read_roots.join(' ')}`,
    `writable: ${state.write_roots.join(' ') || 'nothing'}`,
    ...(state.not_enforced.length > 0 ? [`not enforced here: ${state.not_enforced.join(' ')}`] : []),
  ];
  return textResult(lines.join('\n'), state);
}
