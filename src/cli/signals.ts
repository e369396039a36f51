import {constants} from 'node:os';
import type {Outcome, Running} from '../sandbox/launch.ts';

/**
 * Passed to the launcher, which knows from whom it got the same signal itself: what a terminal (or a kill of the whole
 * process group) sends reaches the command without ion, and is not sent a second time.
 */
const forwarded: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR2'];

/** These end ion where it is at work itself: no command runs that they could be for. */
const endings: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'];

/** How long what was told to end may take, to tell how it ended. */
const unwindMs = 2000;

/** A signal has ended the run while ion ran a hook, or asked. */
export class Interrupted extends Error {
  readonly signal: NodeJS.Signals;
  readonly number: number;

  constructor(signal: NodeJS.Signals) {
    super(`ended by ${signal}`);
    this.name = 'Interrupted';
    this.signal = signal;
    this.number = constants.signals[signal];
  }
}

/** The signals of a run, from its first record to its last: none of them ends ion before the last is written. */
export interface Signals {
  /** Work of ion's own, which a signal ends: then this throws Interrupted. */
  orEnd<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Start a command and wait for it, with signals passed on from before the start: one that came between the command's start and
   * the listeners would end ion, and the command by SIGKILL. Ctrl-Z is the command's to answer: the launcher stops ion when the
   * command has stopped.
   */
  passOn(start: () => Promise<Running>): Promise<Outcome>;
  close(): void;
}

/** `end` is called at the first signal that is not for a command: it ends what ion itself has started. */
export function openSignals(end: () => void): Signals {
  let came: NodeJS.Signals | undefined;
  let isPassing = false;
  let wake: () => void = () => undefined;
  const take = (name: NodeJS.Signals): void => {
    if (isPassing || came) return;
    came = name;
    end();
    wake();
  };
  const throwIfCame = (): void => {
    if (came) throw new Interrupted(came);
  };
  for (const name of endings) process.on(name, take);
  return {
    async orEnd(work) {
      throwIfCame();
      const late = new Promise<never>((_, reject) => {
        wake = () => setTimeout(() => reject(new Interrupted(came!)), unwindMs);
      });
      try {
        return await Promise.race([work(), late]);
      } finally {
        throwIfCame();
      }
    },
    async passOn(start) {
      throwIfCame();
      const early: NodeJS.Signals[] = [];
      let running: Running | undefined;
      const pass = (name: NodeJS.Signals): void => {
        if (running) running.signal(name);
        else early.push(name);
      };
      const ignore = (): void => undefined;
      for (const name of forwarded) process.on(name, pass);
      process.on('SIGTSTP', ignore);
      isPassing = true;
      try {
        running = await start();
        early.forEach(pass);
        return await running.outcome;
      } finally {
        isPassing = false;
        process.removeListener('SIGTSTP', ignore);
        for (const name of forwarded) process.removeListener(name, pass);
      }
    },
    close() {
      for (const name of endings) process.removeListener(name, take);
    },
  };
}
