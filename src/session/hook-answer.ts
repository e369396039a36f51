import type {Effect} from '../config/settings.ts';
import type {EventBodies} from '../audit/events.ts';
import {stricter} from '../policy/modes.ts';

/** How a hook's process ended. */
export interface HookEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** True when an output was longer than allowed. */
  readonly truncated: boolean;
}

export interface Answer {
  readonly outcome: EventBodies['hook.finished']['outcome'];
  readonly message: string;
  /** Absent: the hook has no opinion. */
  readonly effect?: Effect;
  readonly updatedInput?: Readonly<Record<string, unknown>>;
}

/** A shell's own codes for a program that is missing or can't be executed. */
const notStarted: Readonly<Record<number, string>> = {
  126: 'its program could not be executed',
  127: 'its program is missing',
};

function withReason(what: string, {stderr}: HookEnd): string {
  const said = firstLines(stderr);
  return said === '' ? what : `${what}: ${said}`;
}

/**
 * What a hook's end means. Exit 0: proceed, or what the JSON on stdout says; 2: block, with stderr as the reason; any
 * other code: a warning. A hook that guards (PreToolUse) and could not do its work blocks: what hangs, dies by a
 * signal, is missing or says something unreadable has not allowed anything.
 */
export function readAnswer(end: HookEnd, guards: boolean): Answer {
  const failed = (outcome: Answer['outcome'], message: string): Answer => ({
    outcome,
    message,
    ...(guards ? {effect: 'deny' as const} : {}),
  });
  if (end.timedOut) return failed('timed_out', 'did not end in time and was killed');
  if (end.signal !== null) return failed('failed', `was ended by ${end.signal}`);
  if (end.exitCode === 2) return {outcome: 'block', message: firstLines(end.stderr), effect: 'deny'};
  if (end.exitCode === 0) return readStdout(end, failed);
  const missing = notStarted[end.exitCode ?? -1];
  if (missing !== undefined) return failed('failed', withReason(missing, end));
  return {outcome: 'warning', message: withReason(`ended with ${end.exitCode}`, end)};
}

function readStdout(
  {stdout, truncated}: HookEnd,
  failed: (outcome: Answer['outcome'], message: string) => Answer,
): Answer {
  const text = stdout.trim();
  // What is no JSON object is a message for people, and none for ion.
  if (!text.startsWith('{')) return {outcome: 'proceed', message: ''};
  if (truncated) return failed('failed', 'printed a longer answer than ion reads');
  try {
    const parsed: unknown = JSON.parse(text);
    return readJson(parsed as Record<string, unknown>, failed);
  } catch {
    return failed('failed', 'printed an answer that is no JSON');
  }
}

const decisions: Readonly<Record<string, Effect>> = {
  allow: 'allow',
  approve: 'allow',
  ask: 'ask',
  deny: 'deny',
  block: 'deny',
};
const outcomes: Readonly<Record<Effect, Answer['outcome']>> = {allow: 'allow', ask: 'ask', deny: 'block'};

/** What may stand in an answer, by its place. What is written another way may have meant no. */
const shapes: readonly {
  readonly name: string;
  readonly in?: string;
  readonly is: (value: unknown) => boolean;
}[] = [
  {name: 'continue', is: (value) => typeof value === 'boolean'},
  {name: 'hookSpecificOutput', is: isRecord},
  {name: 'updatedInput', in: 'hookSpecificOutput', is: isRecord},
  // Each in the other's place.
  {name: 'permissionDecision', is: () => false},
  {name: 'decision', in: 'hookSpecificOutput', is: () => false},
];

/** Claude Code's answer: `hookSpecificOutput.permissionDecision`, or the older `decision`; `continue: false`. */
function readJson(
  answer: Record<string, unknown>,
  failed: (outcome: Answer['outcome'], message: string) => Answer,
): Answer {
  const specific = isRecord(answer['hookSpecificOutput']) ? answer['hookSpecificOutput'] : {};
  const odd = shapes.find(({name, in: place, is}) => {
    const value = (place === undefined ? answer : specific)[name] ?? undefined;
    return value !== undefined && !is(value);
  });
  if (odd) return failed('failed', `printed an answer whose "${odd.name}" ion cannot read`);
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
  // Where both are there the stricter counts.
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

/** A reason is a few lines; what is longer is a log. */
function firstLines(output: string): string {
  return output.trim().split('\n').slice(0, 10).join('\n').slice(0, 2000);
}
