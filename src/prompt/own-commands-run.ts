import {quoted, withoutControls} from '../errors.ts';
import {chosenJob, type StoppedJob} from './command-jobs.ts';
import type {OwnCommand} from './line-kind.ts';
import {helpText} from './own-commands-text.ts';
import type {Prompt} from './prompt-state.ts';
import {continueJob} from './run-command-line.ts';

type Own = (prompt: Prompt, words: readonly string[]) => Promise<number | undefined>;

/** Carries out a command of the prompt itself. Returns the exit code if it ends the prompt. */
export async function carryOwn(
  prompt: Prompt,
  name: OwnCommand,
  words: readonly string[],
): Promise<number | undefined> {
  if (name !== 'exit') prompt.wasWarned = false;
  return own[name](prompt, words);
}

const own: Readonly<Record<OwnCommand, Own>> = {
  '/help': async ({terminal}) => {
    terminal.write(helpText.replaceAll('\n', '\r\n'));
    return undefined;
  },
  '/mode': async ({modes, services, terminal}, [wanted]) => {
    const to = modes.names.find((name) => name === wanted);
    if (wanted !== undefined && !to) {
      services.say({
        text: `there is no mode ${quoted(wanted)} here`,
        help: `modes: ${modes.names.join(', ')}`,
      });
      return undefined;
    }
    if (to) await modes.change(to);
    const shown = modes.names.map((name) => (name === modes.current() ? `[${name}]` : name));
    terminal.write(`${shown.join(' ')}\r\n`);
    return undefined;
  },
  '/permissions': (prompt) => ask(prompt, ['permissions']),
  '/why': (prompt, words) => ask(prompt, ['why', ...denialOr(prompt, words)]),
  '/allow': async (prompt, words) => {
    await ask(prompt, ['allow', ...denialOr(prompt, words)]);
    await prompt.modes.refresh(true);
    return undefined;
  },
  '/trust': async (prompt) => {
    await ask(prompt, ['trust']);
    await prompt.modes.refresh(true);
    return undefined;
  },
  jobs: async ({jobs, services}) => {
    for (const {job} of jobs.stopped.values()) services.say({text: `[${job.number}] stopped: ${job.shown}`});
    if (jobs.stopped.size === 0) services.say({text: 'no command is stopped'});
    return undefined;
  },
  fg: async (prompt, [which]) => {
    const chosen = stoppedJob(prompt, which);
    if (!chosen) return undefined;
    prompt.services.say({text: `[${chosen.job.number}] continued: ${chosen.job.shown}`});
    await continueJob(prompt, chosen);
    return undefined;
  },
  kill: async (prompt, [which]) => {
    const chosen = stoppedJob(prompt, which);
    if (!chosen) return undefined;
    chosen.job.signal('SIGTERM');
    await continueJob(prompt, chosen);
    return undefined;
  },
  history: async ({history, terminal}, [count = '50']) => {
    const lines = history.entries().slice(-Math.max(1, Number.parseInt(count, 10) || 50));
    for (const line of lines.flatMap((one) => one.split('\n')))
      terminal.write(`  ${withoutControls(line)}\r\n`);
    return undefined;
  },
  bg: async ({services}) => {
    services.say({text: 'a stopped command continues only in the foreground', help: 'fg'});
    return undefined;
  },
  exit: async (prompt, [code]) => {
    const {jobs, services} = prompt;
    if (jobs.stopped.size > 0 && !prompt.wasWarned) {
      prompt.wasWarned = true;
      services.say({text: 'there are stopped commands', help: 'fg continues one; exit again to end them'});
      return undefined;
    }
    return code === undefined ? (prompt.exitCode ?? 0) : Number.parseInt(code, 10) & 255;
  },
};

/** Returns the chosen job. If there is none, prints that. */
function stoppedJob({jobs, services}: Prompt, which: string | undefined): StoppedJob | undefined {
  const chosen = chosenJob(jobs.stopped, which);
  if (chosen) return chosen;
  const text =
    which === undefined
      ? 'no command is stopped'
      : `no stopped command has the number or name ${quoted(which)}`;
  services.say({text});
  return undefined;
}

/** Without an id: the latest refusal of this prompt, not of its latest command. */
function denialOr({denial}: Prompt, words: readonly string[]): readonly string[] {
  return words.length === 0 && denial !== undefined ? [denial] : words;
}

async function ask({services}: Prompt, args: readonly string[]): Promise<undefined> {
  await services.own(args);
  return undefined;
}
