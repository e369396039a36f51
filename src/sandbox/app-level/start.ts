import {spawn} from 'node:child_process';
import {constants} from 'node:os';
import {IonError} from '../../errors.ts';
import type {Launch, Outcome, Running} from '../backend.ts';

const graceMs = 5000;

/**
 * Start a command where there is no launcher: nothing of the operating system confines it. Its process group is its
 * own, so that the run's end, a time limit or a signal ends what has not left the group.
 */
export function startUnconfined(launch: Launch): Running {
  const [program, ...args] = launch.argv;
  const child = spawn(program!, args, {
    cwd: launch.cwd,
    env: launch.environment,
    stdio: [...launch.stdio],
    detached: true,
  });
  const state: {because: Outcome['because']; asked: number} = {because: 'itself', asked: 0};
  const killGroup = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // The whole group has ended.
    }
  };
  const end = (because: Outcome['because'], signal: NodeJS.Signals): void => {
    state.because = because;
    state.asked = constants.signals[signal];
    killGroup(signal);
    setTimeout(() => killGroup('SIGKILL'), graceMs).unref();
  };
  const {timeoutMs} = launch.limits;
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => end('timeout', 'SIGTERM'), timeoutMs);
  const before = process.resourceUsage();
  const outcome = new Promise<Outcome>((resolve, reject) => {
    child.once('error', (error) =>
      reject(new IonError(`cannot start bash: ${error.message}`, {cause: error})),
    );
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      killGroup('SIGKILL');
      const after = process.resourceUsage();
      resolve({
        code: code ?? undefined,
        signal: signal === null ? undefined : constants.signals[signal],
        ...state,
        left: 0,
        usage: {
          userUs: after.userCPUTime - before.userCPUTime,
          systemUs: after.systemCPUTime - before.systemCPUTime,
          maxRssKb: after.maxRSS,
        },
      });
    });
  });
  return {
    stdio: [child.stdin, child.stdout, child.stderr],
    signal: (name) => (name === 'SIGTERM' || name === 'SIGHUP' ? end('signal', name) : killGroup(name)),
    outcome,
  };
}
