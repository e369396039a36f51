import {quoted} from '../errors.ts';
import type {Outcome, Running} from '../sandbox/launch.ts';
import type {CommandEnd} from './services.ts';

/** A command of the prompt, from its start to its last message. */
export interface Job {
  readonly number: number;
  /** The command, for a message. */
  readonly shown: string;
  /** The command was started. */
  begin(running: Running): void;
  /** The command was stopped (Ctrl-Z). */
  stopped(): void;
  /** Waits until the command has ended and the user does not edit a line, so that its end can be reported. */
  reported(): Promise<Outcome>;
  /** Resolves when the command has ended and everything about it is reported, or when it was stopped. */
  inForeground(done: Promise<CommandEnd>): Promise<'ended' | 'stopped'>;
  /** Reports whether the command has ended. Its end may not have been shown yet. */
  hasEnded(): boolean;
  signal(name: NodeJS.Signals): void;
}

export interface Jobs {
  open(text: string): Job;
  /** The stopped jobs, by number. */
  readonly stopped: ReadonlyMap<number, StoppedJob>;
  stop(job: Job, done: Promise<CommandEnd>): void;
  remove(job: Job): void;
}

export interface StoppedJob {
  readonly job: Job;
  readonly done: Promise<CommandEnd>;
}

export function openJobs(): Jobs {
  const stopped = new Map<number, StoppedJob>();
  return {
    stopped,
    open: (text) => openJob(1 + Math.max(0, ...stopped.keys()), text),
    stop: (job, done) => void stopped.set(job.number, {job, done}),
    remove: (job) => void stopped.delete(job.number),
  };
}

function openJob(number: number, text: string): Job {
  let running: Running | undefined;
  let onStop: () => void = () => undefined;
  let release: () => void = () => undefined;
  let mayReport = Promise.resolve();
  let isOver = false;
  return {
    number,
    shown: quoted(text, 80),
    begin(started) {
      running = started;
      const ended = (): void => void (isOver = true);
      started.outcome.then(ended, ended);
    },
    hasEnded: () => isOver,
    stopped: () => onStop(),
    async reported() {
      const outcome = await running!.outcome;
      await mayReport;
      return outcome;
    },
    async inForeground(done) {
      release();
      const stop = new Promise<'stopped'>((resolve) => {
        onStop = () => {
          mayReport = new Promise((go) => (release = go));
          resolve('stopped');
        };
      });
      return Promise.race([done.then(() => 'ended' as const), stop]);
    },
    signal: (name) => running?.signal(name),
  };
}

/** The job that `fg`, `fg 2` or `fg %2` means. Without a number, it is the latest job. */
export function chosenJob(stopped: Jobs['stopped'], word: string | undefined): StoppedJob | undefined {
  if (word === undefined) return [...stopped.values()].at(-1);
  const number = /^%?(\d+)$/.exec(word)?.[1];
  return number === undefined ? undefined : stopped.get(Number(number));
}
