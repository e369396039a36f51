import {AsyncLocalStorage} from 'node:async_hooks';
import {quoted} from '../../errors.ts';
import {programAsker} from '../../library/program-asker.ts';
import type {Answer, Question} from '../../library/types.ts';
import type {Asker} from '../../session/ask/ask.ts';

/** Asks the user through the host of one call. */
export type AskHost = (question: Question) => Promise<Answer>;

export interface Approvals {
  /** For the session: a question reaches the host whose call led to it. */
  readonly asker: Asker;
  /** Runs `work`. Its questions go to `ask`; without it, each is a denial. */
  during<T>(ask: AskHost | undefined, work: () => Promise<T>): Promise<T>;
}

/** The answers that a host can give. Answers for the workspace or the user are only given at a terminal. */
export const elicitedAnswers: readonly Answer[] = ['once', 'session', 'no'];

export function openApprovals(): Approvals {
  const current = new AsyncLocalStorage<{readonly ask: AskHost | undefined}>();
  const asker = programAsker((question) => {
    const answers = question.answers.filter((one) => elicitedAnswers.includes(one));
    return current.getStore()!.ask!({...question, answers});
  });
  return {
    asker: {...asker, isAvailable: () => current.getStore()?.ask !== undefined},
    during: (ask, work) => current.run({ask}, work),
  };
}

/** Text from the command is quoted: it can neither start a line nor look like ion's own text. */
export function elicitationOf({command, message, sandbox, destructive, answers}: Question) {
  const lines = [
    `ion asks for approval: ${message}`,
    `Command: ${quoted(command, 2000)}`,
    `Sandbox: ${sandbox}`,
    ...destructive.map((one) => `Loses work: ${one}`),
  ];
  return {
    message: lines.join('\n'),
    requestedSchema: {
      type: 'object' as const,
      properties: {
        answer: {
          type: 'string' as const,
          title: 'Answer',
          description: 'once: this time. session: until this connection ends. no: refuse.',
          enum: elicitedAnswers.filter((one) => answers.includes(one)),
        },
      },
      required: ['answer'],
    },
  };
}

/** The answer in the host's response. Only a plain one counts. Everything else is a no. */
export function answerOf(response: unknown): Answer {
  const {action, content} = (response ?? {}) as {
    readonly action?: unknown;
    readonly content?: {readonly answer?: unknown} | null;
  };
  const answer = action === 'accept' ? content?.answer : 'no';
  return elicitedAnswers.find((one) => one === answer) ?? 'no';
}
