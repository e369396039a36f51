import {exitCode} from '../session/run-record.ts';
import {openSession} from '../session/session.ts';
import type {Job, StoppedJob} from './command-jobs.ts';
import type {Prompt} from './prompt-state.ts';
import type {CommandEnd, CommandSignals} from './services.ts';
import {effectiveText} from './shell/effective-text.ts';
import {withShell, type Turn} from './shell/shell-session.ts';

/** Runs a command until it ends or is stopped. */
export async function runCommand(prompt: Prompt, text: string): Promise<void> {
  const {modes, services, jobs, shell} = prompt;
  const job = jobs.open(text);
  const turn: Turn = {
    shell,
    start: {...shell},
    version: shell.version,
    status: prompt.exitCode ?? 0,
    onStop: () => job.stopped(),
    onLoss: () => sayLoss(prompt),
    warn: (problem) => services.say({text: problem.message, help: problem.help}),
  };
  const session = modes.session();
  const isRead = session.facts.boundary === 'read';
  const done = services.run({
    session: withShell(session, turn),
    flags: modes.flags(),
    open: async (flags) => withShell(await openSession(prompt.host, flags), turn),
    command: isRead ? text : effectiveText(text, shell.memory),
    cwd: shell.cwd,
    signals: signalsOf(job, prompt),
    isFirst: prompt.isFirst,
  });
  prompt.isFirst = false;
  await waitFor(prompt, job, done);
}

/** Once: `exec less file` loses nothing that a user would miss. */
function sayLoss(prompt: Prompt): void {
  if (prompt.knowsOfLoss) return;
  prompt.knowsOfLoss = true;
  prompt.services.say({
    text: 'the folder and variables are those from before this command: bash could not report its own',
    help: 'bash reports them at its end, not after exec, with an EXIT trap of yours, when killed, or above 1 MB',
  });
}

/** `fg`, and a stopped job that has ended. */
export async function continueJob(prompt: Prompt, {job, done}: StoppedJob): Promise<void> {
  prompt.jobs.remove(job);
  if (!job.hasEnded()) job.signal('SIGCONT');
  await waitFor(prompt, job, done);
}

async function waitFor(prompt: Prompt, job: Job, done: Promise<CommandEnd>): Promise<void> {
  const pass = (): void => job.signal('SIGHUP');
  prompt.ended.addEventListener('abort', pass);
  try {
    if ((await job.inForeground(done)) === 'stopped') {
      prompt.jobs.stop(job, done);
      prompt.exitCode = 148;
      prompt.terminal.write('\r\n'); // after the echo of Ctrl-Z
      prompt.services.say({text: `[${job.number}] stopped: ${job.shown}`, help: 'fg continues it'});
      return;
    }
    const {code, denial} = await done;
    prompt.exitCode = code;
    prompt.denial = denial ?? prompt.denial;
  } finally {
    prompt.ended.removeEventListener('abort', pass);
  }
}

/** The command has a process group of its own: the terminal's signals reach it and not ion. */
function signalsOf(job: Job, prompt: Prompt): CommandSignals {
  return {
    orEnd: (work) => work(),
    async passOn(start) {
      job.begin(await start());
      const outcome = await job.reported();
      // After the echo of Ctrl-C, as in bash, and before ion's messages about the command.
      if (exitCode(outcome) === 130) prompt.terminal.write('\r\n');
      return outcome;
    },
    close: () => undefined,
  };
}
