import type {ApprovalMode, Effect} from './settings.ts';

/** What an action does: the columns of the approval table. */
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
 * The approval modes: the outcome of each action class. `edit` and `delete` are inside the workspace, `external` is a
 * write outside it, and `mcp` is a tool of an MCP server. No row allows what guardrails, denied_paths, deny_commands,
 * read mode or deny rules refuse.
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
  dont_ask:           [yes, yes, yes, yes, yes, yes, yes], // whatever is not denied; ask rules are skipped
  bypass_permissions: [yes, yes, yes, yes, yes, yes, yes], // no questions; ask rules are skipped
  on_failure:         [yes, yes, yes, yes, yes, yes, yes], // asks only after a violation (below)
};

const columns: readonly ActionClass[] = ['read', 'edit', 'delete', 'shell', 'network', 'external', 'mcp'];

const severity: Readonly<Record<Effect, number>> = {allow: 0, ask: 1, deny: 2};

export function stricter(one: Effect, other: Effect): Effect {
  return severity[one] >= severity[other] ? one : other;
}

export function modeOutcome(mode: ApprovalMode, column: ActionClass): Effect {
  return table[mode][columns.indexOf(column)] ?? no;
}

/** Only these rows skip ask rules. Deny rules apply in every row. */
export function skipsAskRules(mode: ApprovalMode): boolean {
  return mode === 'dont_ask' || mode === 'bypass_permissions';
}

/**
 * After a violation stopped the command, these rows offer a user at a terminal one re-run with exactly what was
 * refused.
 */
export function offersRerun(mode: ApprovalMode): boolean {
  return mode === 'on_failure';
}

/** Reports whether `one` is at least as strict as `other` in every column and for ask rules. For untrusted layers. */
export function atLeastAsStrict(one: ApprovalMode, other: ApprovalMode): boolean {
  if (skipsAskRules(one) && !skipsAskRules(other)) return false;
  if (offersRerun(one) && !offersRerun(other)) return false;
  return columns.every((column) => {
    const outcome = modeOutcome(one, column);
    return stricter(outcome, modeOutcome(other, column)) === outcome;
  });
}
