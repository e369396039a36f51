import type {EventBodies} from '../../audit/events.ts';
import type {Action, Decision} from '../../policy/decision.ts';
import type {Reason} from '../../policy/reasons.ts';
import type {Size} from './fitted.ts';
import {notAnAnswer, parseReply, renderQuestion, type Reply} from './question.ts';
import type {Terminal} from './terminal.ts';

/** No answer within this time is a no. */
export const defaultAskTimeoutMs = 120_000;

/** The inputs of every question, whether a user or a program answers it. */
export interface AskContext {
  /** The boundary that would apply, in one line. */
  readonly sandbox: string;
  /** A fresh id for the question. */
  readonly id: string;
  readonly now: () => Date;
  readonly timeoutMs?: number;
  /** Cancels this question alone. */
  readonly signal?: AbortSignal | undefined;
  /** Called before the question is shown again, after Ctrl-Z. */
  readonly beforeAgain?: () => Promise<void>;
  readonly requested: (body: Omit<EventBodies['permission.requested'], 'action'>) => void;
}

/** Answers questions: the user at the terminal, or the program that opened the session. */
export interface Asker {
  /** False if the caller of this very action cannot be asked. Absent: it can. */
  isAvailable?(): boolean;
  ask(decision: Decision, action: Action, context: AskContext): Promise<Asked>;
  /** Shows a line of ion's own where the question was asked. */
  say(text: string): void;
  /** Cancels a question that is open or waits for its turn, and every later one. */
  cancel(): void;
  close(): void;
}

export function terminalAsker(terminal: Terminal): Asker {
  return {
    ask: (decision, action, context) => ask(decision, action, {...context, terminal}),
    say: (text) => terminal.say(text),
    cancel: () => terminal.cancel(),
    close: () => terminal.close(),
  };
}

export interface Asked {
  /** An allow or a deny, with the question's id and expiry. */
  readonly decision: Decision;
  readonly reply: Reply;
  readonly resolution: EventBodies['permission.resolved']['resolution'];
}

/** Asks the user at the terminal about a decision of effect `ask`. */
export async function ask(
  decision: Decision,
  action: Action,
  context: AskContext & {readonly terminal: Terminal},
): Promise<Asked> {
  const {
    terminal,
    sandbox,
    id,
    now,
    timeoutMs = defaultAskTimeoutMs,
    signal,
    requested,
    beforeAgain,
  } = context;
  if (signal?.aborted) terminal.cancel();
  signal?.addEventListener('abort', () => terminal.cancel(), {once: true});
  let expiresAt = '';
  let offered: readonly Reply[] = [];
  // Called when it is this question's turn. Only then does its time start.
  const show = (size: Size): string => {
    const question = renderQuestion(decision, action, sandbox, size);
    offered = question.offered;
    // After Ctrl-Z the same question is shown again.
    if (expiresAt !== '') return question.text;
    expiresAt = announce(decision, {id, now, timeoutMs, requested});
    return question.text;
  };
  const refuse = (line: string): string | undefined =>
    parseReply(line, offered) === undefined ? notAnAnswer(line, offered) : undefined;
  const typed = await terminal.readLine(show, timeoutMs, refuse, beforeAgain);
  const reply = (typed.line === undefined ? undefined : parseReply(typed.line, offered)) ?? 'no';
  const resolution = typed.line === undefined ? typed.why : reply === 'no' ? 'denied' : 'allowed';
  return answered(decision, {id, expiresAt, reply, resolution});
}

/** Records that a question was asked. Returns when its time is over, as ISO 8601. */
export function announce(
  decision: Decision,
  {id, now, timeoutMs = defaultAskTimeoutMs, requested}: Omit<AskContext, 'sandbox'>,
): string {
  const expiresAt = new Date(now().getTime() + timeoutMs).toISOString();
  requested({
    approval_action_id: id,
    expires_at: expiresAt,
    decision_reason: decision.reason,
    message: decision.message,
    destructive: decision.destructive.length > 0,
  });
  return expiresAt;
}

interface Answered extends Omit<Asked, 'decision'> {
  readonly id: string;
  readonly expiresAt: string;
}

/** Turns a question and its answer into a decision. */
export function answered(decision: Decision, {id, expiresAt, reply, resolution}: Answered): Asked {
  const allowed = reply !== 'no';
  const effect = allowed ? 'allow' : 'deny';
  const reason = reasonOf(decision.reason, resolution);
  return {
    reply,
    resolution,
    decision: {
      ...decision,
      effect,
      source: 'asking',
      reason,
      message: allowed ? 'allowed by your answer' : denials[resolution]!(decision.message),
      approvalActionId: id,
      expiresAt,
      trace: [
        ...decision.trace,
        {stage: 'asking', saw: [`answer: ${reply} (${resolution})`], effect, reason},
      ],
    },
  };
}

/** A yes that could not be carried out any more is a no, and recorded as that. */
export function dropped(question: Decision, {decision}: Asked): Asked {
  const [id, expiresAt] = [decision.approvalActionId!, decision.expiresAt!];
  return answered(question, {id, expiresAt, reply: 'no', resolution: 'dropped'});
}

const denials: Readonly<Record<string, (message: string) => string>> = {
  denied: (message) => `denied by your answer: ${about(message)}`,
  timed_out: (message) => `denied: there was no answer in time: ${about(message)}`,
  dropped: (message) =>
    `denied: the answer does not count, because the command has ended or run since the question: ${about(message)}`,
  cancelled: (message) => `denied: the question was cancelled: ${about(message)}`,
};

function about(message: string): string {
  return message.replace(/^needs approval: /, '');
}

function reasonOf(asked: Reason, resolution: Asked['resolution']): Reason {
  if (asked === 'cross_frame') return resolution === 'allowed' ? 'cross_frame_allow' : 'cross_frame_deny';
  if (resolution === 'allowed') return 'answer_allow';
  if (resolution === 'dropped') return 'answer_dropped';
  return resolution === 'timed_out' ? 'answer_timeout' : 'answer_deny';
}
