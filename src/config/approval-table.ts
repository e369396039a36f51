import type {ApprovalMode, Effect} from './settings.ts';

/** What an action does; the columns of the approval table. */
export type ActionClass = 'read' | 'edit' | 'delete' | 'shell' | 'network' | 'external' | 'mcp';

const yes = 'allow';
const ask = 'ask';
const no = 'deny';

type Outcomes = readonly [
  read: Effect,
  edit: Effect,
  delete_: Effect,
  shell: Effect,
  network: Effect,
  external: Effect,
  mcp: Effect,
];

/**
 * The approval modes: action class × outcome. `edit` and `delete` are inside the workspace; `external` is a write
 * outside of it; `mcp` is a tool of an MCP server. What guardrails, denied_paths, deny_commands, read mode and deny
 * rules refuse is refused in every row.
 */
// prettier-ignore
const table: Readonly<Record<ApprovalMode, Outcomes>> = {
  //                   read edit del. shell net. ext. mcp
  never:              [yes, yes, yes, yes, yes, yes, yes], // ion never asks: the mode and the sandbox decide
  ask:                [yes, ask, ask, ask, ask, ask, ask], // every write and command is approved explicitly
  safe:               [yes, yes, yes, ask, ask, ask, ask], // read anything, write to the workspace only
  auto:               [yes, yes, yes, yes, ask, ask, ask], // the whole workspace; what leaves it asks
  yolo:               [yes, yes, yes, yes, yes, yes, yes], // full autonomy
  default:            [yes, ask, ask, ask, ask, ask, ask], // safe reads; everything else asks
  plan:               [yes, no,  no,  no,  no,  no,  no ], // read-only tools; nothing changes
  accept_edits:       [yes, yes, ask, ask, ask, ask, ask], // reads, and edits in the workspace
  dont_ask:           [yes, yes, yes, yes, yes, yes, yes], // anything that is not blocked or explicitly denied: no ask rules
  bypass_permissions: [yes, yes, yes, yes, yes, yes, yes], // no prompts, no ask rules
  on_failure:         [yes, yes, yes, yes, yes, yes, yes], // nothing asks beforehand; a violation may (below)
};

const columns: readonly ActionClass[] = ['read', 'edit', 'delete', 'shell', 'network', 'external', 'mcp'];

const severity: Readonly<Record<Effect, number>> = {allow: 0, ask: 1, deny: 2};

export function stricter(one: Effect, other: Effect): Effect {
  return severity[one] >= severity[other] ? one : other;
}

export function modeOutcome(mode: ApprovalMode, column: ActionClass): Effect {
  return table[mode][columns.indexOf(column)] ?? no;
}

/** Ask rules are skipped in these rows alone; deny rules hold in every row. */
export function skipsAskRules(mode: ApprovalMode): boolean {
  return mode === 'dont_ask' || mode === 'bypass_permissions';
}

/** When a violation stopped the command: is a terminal user offered one re-run with exactly that grant? */
export function offersRerun(mode: ApprovalMode): boolean {
  return mode === 'on_failure';
}

/** Does `one` ask or deny at least as much as `other`, in every column and for ask rules? (Untrusted layers.) */
export function atLeastAsStrict(one: ApprovalMode, other: ApprovalMode): boolean {
  if (skipsAskRules(one) && !skipsAskRules(other)) return false;
  if (offersRerun(one) && !offersRerun(other)) return false;
  return columns.every((column) => {
    const outcome = modeOutcome(one, column);
    return stricter(outcome, modeOutcome(other, column)) === outcome;
  });
}
