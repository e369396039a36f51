import type {Outcome, Running} from '../sandbox/backend.ts';

/**
 * Passed to the launcher, which knows from whom it got the same signal itself: what a terminal (or a kill of the whole
 * process group) sends reaches the command without ion, and is not sent a second time.
 */
const forwarded: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR2'];

/** Wait for a run. Ctrl-Z is the command's to answer: the launcher stops ion when the command has stopped. */
export async function withSignals(running: Running): Promise<Outcome> {
  const listeners = forwarded.map((name) => {
    const listener = (): void => running.signal(name);
    process.on(name, listener);
    return [name, listener] as const;
  });
  const ignore = (): void => undefined;
  process.on('SIGTSTP', ignore);
  try {
    return await running.outcome;
  } finally {
    process.removeListener('SIGTSTP', ignore);
    for (const [name, listener] of listeners) process.removeListener(name, listener);
  }
}
