import {attempt} from '../../system/attempt.ts';
import {nearest} from '../../system/nearest.ts';
import type {Effect, HookEvent} from '../../config/settings.ts';
import type {EventBodies} from '../../audit/events.ts';
import {stricter} from '../../config/approval-table.ts';

/** How a hook's process ended. */
export interface HookEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** True if an output was longer than allowed. */
  readonly truncated: boolean;
}

export interface Answer {
  readonly outcome: EventBodies['hook.finished']['outcome'];
  readonly message: string;
  /** Absent: the hook does not decide. */
  readonly effect?: Effect;
  readonly updatedInput?: Readonly<Record<string, unknown>>;
}

/** The exit codes of a shell for a program that is missing or cannot be executed. */
const notStarted: Readonly<Record<number, string>> = {
  126: 'its program could not be executed',
  127: 'its program is missing',
};

function withReason(what: string, {stderr}: HookEnd): string {
  const said = firstLines(stderr);
  return said === '' ? what : `${what}: ${said}`;
}

/**
 * The meaning of a hook's end. Exit 0: proceed, or follow the JSON on stdout. Exit 2: block, with stderr as the reason. Any other
 * code: a warning. A hook that guards (PreToolUse) blocks if it fails: it hangs, dies by a signal, is missing or prints something
 * unreadable. Such a hook has not allowed anything.
 */
export function readAnswer(end: HookEnd, event: HookEvent): Answer {
  const guards = event === 'PreToolUse';
  const failed = (outcome: Answer['outcome'], message: string): Answer => ({
    outcome,
    message,
    ...(guards ? {effect: 'deny' as const} : {}),
  });
  if (end.timedOut) return failed('timed_out', 'did not end in time and was killed');
  if (end.signal !== null) return failed('failed', `was killed by ${end.signal}`);
  if (end.exitCode === 2) return {outcome: 'block', message: firstLines(end.stderr), effect: 'deny'};
  if (end.exitCode === 0) return readStdout(end, event, failed);
  const missing = notStarted[end.exitCode ?? -1];
  if (missing !== undefined) return failed('failed', withReason(missing, end));
  return {outcome: 'warning', message: withReason(`ended with ${end.exitCode}`, end)};
}

function readStdout(
  {stdout, truncated}: HookEnd,
  event: HookEvent,
  failed: (outcome: Answer['outcome'], message: string) => Answer,
): Answer {
  const text = stdout.trim();
  // Output that is not a JSON object is a message for people, not for ion. An object after other text was meant for
  // ion.
  if (!/^[{[]/m.test(text)) return {outcome: 'proceed', message: ''};
  if (truncated) return failed('failed', 'printed an answer that is too long');
  const parsed = attempt(() => JSON.parse(text) as unknown);
  if (parsed === undefined) {
    // `[warn] ...` is a log line.
    if (!/^\{/m.test(text)) return {outcome: 'proceed', message: ''};
    return failed(
      'failed',
      text.startsWith('{') ? 'printed an answer that is not JSON' : 'printed text before its answer',
    );
  }
  if (!isRecord(parsed)) return failed('failed', 'printed a list, which is not an answer');
  const twice = repeatedName(text);
  if (twice !== undefined) return failed('failed', `printed an answer with "${twice}" twice`);
  return readJson(parsed, event, failed);
}

/** A name that occurs twice in one object. JSON parsers differ in which of the two they use. */
function repeatedName(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  for (const [token, name] of text.matchAll(/("(?:[^"\\]|\\.)*")(?=\s*:)|"(?:[^"\\]|\\.)*"|[{}[\]]/gs)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (name !== undefined) {
      const known = JSON.parse(name) as string;
      if (open.at(-1)?.has(known)) return known;
      open.at(-1)?.add(known);
    }
  }
  return undefined;
}

const decisions: Readonly<Record<string, Effect>> = {
  allow: 'allow',
  approve: 'allow',
  ask: 'ask',
  deny: 'deny',
  block: 'deny',
};
const outcomes: Readonly<Record<Effect, Answer['outcome']>> = {allow: 'allow', ask: 'ask', deny: 'block'};

/** The fields that an answer may have, by their place. A field of another form may be a denial that ion does not understand. */
const shapes: readonly {
  readonly name: string;
  readonly in?: string;
  readonly is: (value: unknown) => boolean;
}[] = [
  {name: 'continue', is: (value) => typeof value === 'boolean'},
  {name: 'hookSpecificOutput', is: isRecord},
  {name: 'updatedInput', in: 'hookSpecificOutput', is: isRecord},
  // Each of these two is often misplaced where the other belongs.
  {name: 'permissionDecision', is: () => false},
  {name: 'decision', in: 'hookSpecificOutput', is: () => false},
];

/** The fields that decide. A name that is nearly one of these is a misspelling. */
const deciding = [
  'continue',
  'decision',
  'hookSpecificOutput',
  'permissionDecision',
  'updatedInput',
  'hookEventName',
];

function misspelt(answer: Record<string, unknown>, specific: Record<string, unknown>): string | undefined {
  return [...Object.keys(answer), ...Object.keys(specific)].find(
    (name) =>
      !deciding.includes(name) &&
      nearest(name.replaceAll('_', ''), deciding) !== undefined &&
      !harmless.includes(name),
  );
}

const harmless = [
  'reason',
  'stopReason',
  'permissionDecisionReason',
  'additionalContext',
  'systemMessage',
  'suppressOutput',
];

/**
 * Reads Claude Code's answer: `hookSpecificOutput.permissionDecision`, or the older `decision`; `continue: false`.
 */
function readJson(
  answer: Record<string, unknown>,
  event: HookEvent,
  failed: (outcome: Answer['outcome'], message: string) => Answer,
): Answer {
  const specific = isRecord(answer['hookSpecificOutput']) ? answer['hookSpecificOutput'] : {};
  const odd = shapes.find(({name, in: place, is}) => {
    const value = (place === undefined ? answer : specific)[name] ?? undefined;
    return value !== undefined && !is(value);
  });
  if (odd) return failed('failed', `printed an answer whose "${odd.name}" ion cannot read`);
  const meant = misspelt(answer, specific);
  if (meant !== undefined)
    return failed('failed', `printed an answer with "${meant}", which ion does not know`);
  const about = specific['hookEventName'] ?? event;
  if (about !== event) return failed('failed', 'printed an answer about another event');
  if (answer['continue'] === false) {
    return {outcome: 'block', message: firstLines(text(answer['stopReason'])), effect: 'deny'};
  }
  const said = [specific['permissionDecision'], answer['decision']].filter(
    (one) => (one ?? undefined) !== undefined,
  );
  const updated = specific['updatedInput'];
  const updatedInput = isRecord(updated) ? {updatedInput: updated} : {};
  if (said.length === 0) return {outcome: 'proceed', message: '', ...updatedInput};
  const effects = said.map((one) =>
    typeof one === 'string' && Object.hasOwn(decisions, one) ? decisions[one] : undefined,
  );
  // If both are present, the stricter one applies.
  const effect = effects.reduce((one, other) => one && other && stricter(one, other));
  if (!effect) return failed('failed', 'printed a decision that ion does not know');
  const because = firstLines(text(specific['permissionDecisionReason'] ?? answer['reason']));
  return {outcome: outcomes[effect], message: because, effect, ...updatedInput};
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A reason is a few lines. Longer text is a log. */
function firstLines(output: string): string {
  return output.trim().split('\n').slice(0, 10).join('\n').slice(0, 2000);
}
