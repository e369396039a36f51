import {spawn, type ChildProcess} from 'node:child_process';
import {constants} from 'node:os';
import {isatty} from 'node:tty';
import {IonError} from '../../errors.ts';
import type {Launch, Outcome, Running} from '../launch.ts';
import {limitedArgv, watchLimits} from './plain-limits.ts';
import {listProcesses, treeOf} from './process-rows.ts';

const graceMs = 5000;
const readersMs = 500;
const lookMs = 20;

/** The part of a launch that matters without the Linux launcher. */
export type PlainLaunch = Pick<
  Launch,
  'argv' | 'cwd' | 'environment' | 'limits' | 'timeoutSignal' | 'diskRoots' | 'stdio' | 'onEvent'
>;

interface Ending {
  because: Outcome['because'];
  asked: number;
}

/**
 * Starts a command without a launcher. On a terminal it stays in ion's process group, so that the terminal's keys reach
 * it; otherwise it leads its own group. At the end of the run, on a time limit or on a signal, ion kills its
 * descendants and its group.
 *
 * `wrap` puts the command into a sandbox (macOS); without it the operating system does not confine the command.
 */
export function startUnconfined(
  launch: PlainLaunch,
  wrap: (argv: readonly string[]) => readonly string[] = (argv) => argv,
): Running {
  const foreground = launch.stdio[0] === 'inherit' && isatty(0);
  const [program, ...args] = wrap(limitedArgv(launch.argv, launch.limits));
  const child = spawn(program!, args, {
    cwd: launch.cwd,
    env: launch.environment,
    stdio: [...launch.stdio],
    detached: !foreground,
  });
  const tree = {child, foreground};
  const ending: Ending = {because: 'itself', asked: 0};
  const end = (because: Outcome['because'], signal: NodeJS.Signals): void => {
    ending.because = because;
    ending.asked = constants.signals[signal];
    killTree(tree, signal);
    setTimeout(() => killTree(tree, 'SIGKILL'), graceMs).unref();
  };
  return {
    stdio: [child.stdin, child.stdout, child.stderr],
    pid: child.pid,
    signal: (name) => passOn(tree, name, end),
    outcome: outcomeOf(tree, launch, ending, end),
  };
}

interface Tree {
  readonly child: ChildProcess;
  readonly foreground: boolean;
}

function passOn(
  {child, foreground}: Tree,
  name: NodeJS.Signals,
  end: (because: 'signal' | 'ion-gone', name: NodeJS.Signals) => void,
): void {
  if (name === 'SIGKILL') return end('ion-gone', name);
  if (name === 'SIGTERM' || name === 'SIGHUP') return end('signal', name);
  // On a terminal these signals come from its keys, and have already reached the command.
  if (foreground && (name === 'SIGINT' || name === 'SIGQUIT')) return;
  if (foreground) child.kill(name);
  else signalGroup(child, name);
}

function outcomeOf(
  tree: Tree,
  {limits, timeoutSignal = 'SIGTERM', diskRoots, onEvent}: PlainLaunch,
  ending: Ending,
  end: (because: Outcome['because'], signal: NodeJS.Signals) => void,
): Promise<Outcome> {
  const {child, foreground} = tree;
  const {timeoutMs} = limits;
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(() => end('timeout', timeoutSignal), timeoutMs);
  const group = foreground ? undefined : child.pid;
  const stopWatching = watchLimits(
    {root: child.pid ?? -1, group},
    limits,
    diskRoots ?? [],
    (limit, value) => {
      stopWatching();
      onEvent?.({kind: 'limit', limit, value});
      end('limit', 'SIGKILL');
    },
  );
  // Ctrl-Z stops the command; ion must stop itself too, or the shell behind it never gets control back.
  const stop = (): void => void process.kill(process.pid, 'SIGSTOP');
  if (foreground) process.on('SIGTSTP', stop);
  return new Promise<Outcome>((resolve, reject) => {
    const finish = (): void => {
      clearTimeout(timer);
      stopWatching();
      process.removeListener('SIGTSTP', stop);
    };
    child.once('error', (error) => {
      finish();
      reject(new IonError(`cannot start ${child.spawnfile}: ${error.message}`, {cause: error}));
    });
    child.once('exit', (code, signal) => {
      void untilGone(tree).then(() => {
        finish();
        killTree(tree, 'SIGKILL');
        resolve({
          code: code ?? undefined,
          signal: signal === null ? undefined : constants.signals[signal],
          ...ending,
          left: 0,
          usage: undefined,
        });
      });
    });
  });
}

/**
 * A process that reads a pipe to its end (`>(tee log)`) gets some time for it. ion cannot tell which remaining process
 * that is.
 */
async function untilGone({child: {pid}, foreground}: Tree): Promise<void> {
  for (let waited = 0; waited < readersMs && !foreground && pid !== undefined; waited += lookMs) {
    if (!signalProcess(-pid, 0)) return;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}

/** Kills the processes of the run. It kills by pid if the group is ion's own. */
function killTree({child, foreground}: Tree, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  const rows = treeOf(listProcesses(), child.pid, foreground ? undefined : child.pid);
  for (const {pid} of rows) if (pid !== process.pid) signalProcess(pid, signal);
  if (!foreground) signalGroup(child, signal);
}

function signalGroup({pid}: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) signalProcess(-pid, signal);
}

/** Returns false when the process has ended. */
function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
