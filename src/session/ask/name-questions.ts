import {AsyncResource} from 'node:async_hooks';
import {isIonError} from '../../errors.ts';
import type {Action, PermissionState} from '../../policy/decision.ts';
import {nameQuestion} from '../../policy/network-approval.ts';
import type {AskedName} from '../../sandbox/run-event.ts';
import type {Asker} from './ask.ts';
import {resolveQuestion, type PermissionContext} from './resolve-permission.ts';

/** The command is stopped meanwhile, and programs outside wait for it. */
const nameTimeoutMs = 60_000;

/** Questions about names that one running command looks up, one at a time. */
export interface NameQuestions {
  /** Resolves to false without an answer in time. */
  ask(name: AskedName): Promise<boolean>;
  /** The command has ended: cancels the question that is open, and every later one. */
  end(): void;
}

export interface NameQuestionsInput {
  readonly action: Action;
  readonly state: PermissionState;
  readonly withAsker: <T>(use: (asker: Asker | undefined) => Promise<T>) => Promise<T>;
  readonly context: (asker: Asker | undefined) => PermissionContext;
}

export function openNameQuestions({action, state, withAsker, context}: NameQuestionsInput): NameQuestions {
  const ended = new AbortController();
  let last: Promise<unknown> = Promise.resolve();
  const askNow = (name: AskedName): Promise<boolean> =>
    withAsker(async (asker) => {
      if (ended.signal.aborted) return false;
      const question = nameQuestion(action, {...state, interactive: asker !== undefined}, name);
      const {effect} = await resolveQuestion(question, action, {
        askTimeoutMs: nameTimeoutMs,
        ...context(asker),
        signal: ended.signal,
      });
      return effect === 'allow';
    }).catch((error: unknown) => {
      if (!isIonError(error)) throw error;
      context(undefined).warn(error);
      return false;
    });
  // A host knows by its asynchronous context whom it may ask.
  const ask = AsyncResource.bind(askNow);
  return {
    ask(name) {
      const answer = last.then(() => ask(name));
      last = answer.catch(() => undefined);
      return answer;
    },
    end: () => ended.abort(),
  };
}
