import {AsyncResource} from 'node:async_hooks';
import {isIonError} from '../../errors.ts';
import type {Action, PermissionState} from '../../policy/decision.ts';
import {allowedNames, nameQuestion} from '../../policy/network-approval.ts';
import type {AskedName} from '../../sandbox/run-event.ts';
import type {OpenQuestion} from '../question-channel.ts';
import type {Asker} from './ask.ts';
import {resolveQuestion, type PermissionContext} from './resolve-permission.ts';

/** The command is stopped meanwhile, and programs outside wait for it. */
const nameTimeoutMs = 60_000;

/** Questions about names that one running command looks up, one at a time. */
export interface NameQuestions {
  /** The names that earlier answers allow in this session. */
  allowed(): readonly string[];
  /** Asks, and passes the answer on. Without an answer in time it is a no. */
  ask(name: AskedName, question: OpenQuestion): Promise<void>;
}

export interface NameQuestionsInput {
  readonly action: Action;
  readonly state: PermissionState;
  readonly withAsker: <T>(use: (asker: Asker | undefined) => Promise<T>) => Promise<T>;
  readonly context: (asker: Asker | undefined) => PermissionContext;
}

export function openNameQuestions({action, state, withAsker, context}: NameQuestionsInput): NameQuestions {
  let last: Promise<unknown> = Promise.resolve();
  const granted = (): PermissionState => ({...state, session: context(undefined).grants.state});
  const askNow = (name: AskedName, {over, answer, hold}: OpenQuestion): Promise<void> =>
    withAsker(async (asker) => {
      if (over.aborted) return;
      const asked = nameQuestion(action, {...state, interactive: asker !== undefined}, name);
      await resolveQuestion(asked, action, {
        askTimeoutMs: nameTimeoutMs,
        ...context(asker),
        signal: over,
        beforeAgain: hold,
        apply: answer,
      });
    }).catch((error: unknown) => {
      if (!isIonError(error)) throw error;
      context(undefined).warn(error);
    });
  // A host knows by its asynchronous context whom it may ask.
  const ask = AsyncResource.bind(askNow);
  return {
    allowed: () => allowedNames(granted()),
    ask(name, question) {
      const answered = last.then(() => ask(name, question));
      last = answered.catch(() => undefined);
      return answered;
    },
  };
}
