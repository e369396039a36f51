import type {Decision} from '../policy/decision.ts';
import {announce, answered, defaultAskTimeoutMs, type Asked, type Asker} from '../session/ask/ask.ts';
import {offeredReplies, type Reply} from '../session/ask/question.ts';
import type {OpenOptions, Question} from './types.ts';

type OnAsk = NonNullable<OpenOptions['onAsk']>;

/** A program that the user did not see must not list a name in the user's files. */
function mayGive(reply: Reply, {networkName}: Decision): boolean {
  return networkName === undefined || reply !== 'workspace';
}

/** Passes questions to the program that has opened the session. An exception, or an answer that was not offered, is a "no". */
export function programAsker(onAsk: OnAsk): Asker {
  const over = new Set<AbortController>();
  let cancelled = false;
  return {
    async ask(decision, action, context) {
      const {id, sandbox, timeoutMs = defaultAskTimeoutMs} = context;
      const expiresAt = announce(decision, context);
      const offered = offeredReplies(decision, action, false).filter((reply) => mayGive(reply, decision));
      const ended = new AbortController();
      over.add(ended);
      if (cancelled || context.signal?.aborted) ended.abort();
      context.signal?.addEventListener('abort', () => ended.abort(), {once: true});
      const question: Question = {
        id,
        command: action.command?.text ?? action.tool,
        message: decision.message,
        sandbox,
        destructive: decision.destructive.map(({what, rollbackAdvice}) => `${what} (${rollbackAdvice})`),
        answers: offered,
        expiresAt: new Date(expiresAt),
        signal: ended.signal,
      };
      const {reply, resolution} = await answerOf(onAsk, question, timeoutMs);
      over.delete(ended);
      ended.abort();
      return answered(decision, {id, expiresAt, reply, resolution});
    },
    say: () => undefined,
    cancel() {
      cancelled = true;
      for (const one of over) one.abort();
    },
    close: () => undefined,
  };
}

async function answerOf(
  onAsk: OnAsk,
  question: Question,
  timeoutMs: number,
): Promise<Pick<Asked, 'reply' | 'resolution'>> {
  const {signal, answers} = question;
  let timer: NodeJS.Timeout | undefined;
  const without = (resolution: 'timed_out' | 'cancelled') => ({reply: 'no' as const, resolution});
  const late = new Promise<ReturnType<typeof without>>((resolve) => {
    timer = setTimeout(() => resolve(without('timed_out')), timeoutMs);
    if (signal.aborted) resolve(without('cancelled'));
    signal.addEventListener('abort', () => resolve(without('cancelled')), {once: true});
  });
  const said = Promise.resolve()
    .then(() => onAsk(question))
    .then((answer): Pick<Asked, 'reply' | 'resolution'> => {
      const reply: Reply = answers.includes(answer) ? answer : 'no';
      return {reply, resolution: reply === 'no' ? 'denied' : 'allowed'};
    })
    .catch(() => without('cancelled'));
  try {
    return await Promise.race([said, late]);
  } finally {
    clearTimeout(timer);
  }
}
