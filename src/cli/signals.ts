import {constants} from 'node:os';
import type {Outcome, Running} from '../sandbox/launch.ts';

/**
 * Signals that ion passes on to the launcher. A signal from a terminal, or to the whole process group, reaches the
 * command without ion. The launcher notices that and does not send it twice.
 */
const forwarded: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR2'];

/** These end ion during its own work: no command runs that they could be meant for. */
const endings: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'];

/** How long processes that were asked to end may take to finish. */
const unwindMs = 2000;

/** A signal ended the run while ion ran a hook or asked a question. */
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

/**
 * The signals of a run, from its first record to its last. None of them ends ion before the last record is written.
 */
export interface Signals {
  /** Runs work of ion's own. A signal ends it, and then this throws Interrupted. */
  orEnd<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Starts a command and waits for it. Signals are passed on from before the start: one that arrived earlier than the
   * listeners would end ion, and the command by SIGKILL. Ctrl-Z is left to the command: the launcher stops ion when
   * the command has stopped.
   */
  passOn(start: () => Promise<Running>): Promise<Outcome>;
  close(): void;
}

/** `end` is called at the first signal that is not for a command. It ends the work that ion itself started. */
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
