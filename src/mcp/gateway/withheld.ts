import {quoted} from '../../errors.ts';
import {decisionRecord, type DecisionRecord} from '../../policy/decision-record.ts';

/** Why a tool is neither listed nor called. */
export const withheldReasons = {
  changed: 'its definition has changed since it was accepted',
  new: 'it is new since the tools of this server were accepted',
  full: 'ion keeps no more definitions of this server',
} as const;

export type Withheld = keyof typeof withheldReasons;

/** The command that shows a definition and accepts it. Undefined: none does. */
export function acceptCommand(server: string, tool: string, state: Withheld | undefined): string | undefined {
  if (state === undefined || state === 'full') return undefined;
  const isOption = [server, tool].some((name) => name.startsWith('-'));
  return `ion mcp accept ${isOption ? '-- ' : ''}${server} ${tool}`;
}

/** The decision about a call of a tool whose definition is not in force. `state` is undefined if the server does not list it. */
export function withheldDecision(server: string, name: string, state: Withheld | undefined): DecisionRecord {
  const why = state === undefined ? 'the server does not list it' : withheldReasons[state];
  const help = acceptCommand(server, name, state);
  return decisionRecord({
    effect: 'deny',
    source: 'capabilities',
    reason: 'withheld',
    hard: true,
    message: `denied: the tool ${quoted(name)} of ${quoted(server)}: ${why}`,
    ...(help === undefined ? {} : {help: `to see and accept it: ${help}`}),
    ruleRefs: [],
    scope: `mcp:${server}/${name}`,
    fingerprint: '',
    grantKey: '',
    destructive: [],
    notes: [],
    trace: [],
  });
}
