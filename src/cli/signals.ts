import type {Outcome, Running} from '../sandbox/backend.ts';

/**
 * Passed to the launcher, which knows from whom it got the same signal itself: what a terminal (or a kill of the whole
 * process group) sends reaches the command without ion, and is not sent a second time.
 */
const forwarded: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR2'];

/**
 * Start a run and wait for it, with signals passed on from before the start: one that came between the command's start and the
 * listeners would end ion, and the command by SIGKILL. Ctrl-Z is the command's to answer: the launcher stops ion when the
 * command has stopped.
 */
export async function withSignals(start: () => Promise<Running>): Promise<Outcome> {
  const early: NodeJS.Signals[] = [];
  let running: Running | undefined;
  const pass = (name: NodeJS.Signals): void => {
    if (running) running.signal(name);
    else early.push(name);
  };
  const ignore = (): void => undefined;
  for (const name of forwarded) process.on(name, pass);
  process.on('SIGTSTP', ignore);
  try {
    running = await start();
    early.forEach(pass);
    return await running.outcome;
  } finally {
    process.removeListener('SIGTSTP', ignore);
    for (const name of forwarded) process.removeListener(name, pass);
  }
}
