import {asksForNames} from '../policy/network-approval.ts';
import type {Running} from '../sandbox/launch.ts';
import type {AskedName, RunEvent} from '../sandbox/run-event.ts';
import type {NameQuestions} from './ask/name-questions.ts';
import type {Decider} from './decider.ts';
import {openQuestionChannel} from './question-channel.ts';
import type {RunPlan} from './run-plan.ts';
import {start, type RunOptions} from './start.ts';

/**
 * Starts a command. If the approval mode asks for the network, and there is a way to ask, a name that the network
 * table does not list is a question: the look-up waits for its answer, with the whole command stopped.
 */
export async function startAsking(
  plan: RunPlan,
  decider: Pick<Decider, 'nameQuestions'>,
  command: string,
  options: RunOptions,
): Promise<Running> {
  const questions = await questionsOf(plan, decider, options);
  if (!questions) return start(plan, command, options);
  const channel = openQuestionChannel(() => starting);
  const answer = async (asked: AskedName): Promise<void> => {
    const question = channel.open(asked.number);
    try {
      await questions.ask(asked, question);
    } catch (error) {
      plan.host.warn?.(error instanceof Error ? error.message : String(error));
    }
    // Counts only if the question has no answer yet.
    void question.answer(false);
  };
  const onEvent = (event: RunEvent): void => {
    if (event.kind === 'question') void answer(event);
    else if (!channel.take(event)) options.onEvent?.(event);
  };
  const starting = start(plan, command, {...options, onEvent, askedNames: questions.allowed()});
  const running = await starting;
  return {...running, outcome: running.outcome.finally(() => channel.end())};
}

function questionsOf(
  {namespaces, settings}: RunPlan,
  {nameQuestions}: Pick<Decider, 'nameQuestions'>,
  {decided}: RunOptions,
): Promise<NameQuestions | undefined> {
  if (!decided || !namespaces.relay || !asksForNames(settings.approval.value))
    return Promise.resolve(undefined);
  return nameQuestions(decided.action, decided.emit);
}
