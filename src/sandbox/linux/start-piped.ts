import {spawn, type ChildProcess} from 'node:child_process';
import {constants} from 'node:os';
import type {Socket} from 'node:net';
import type {Launch, Outcome, Running} from '../launch.ts';
import {answersBy, openControl} from './control.ts';
import {exitLimitMs, finishRun, launcherName, notStarted} from './launcher-end.ts';
import type {Native} from './native.ts';

/**
 * Starts the launcher with standard streams that ion itself reads and writes: for hooks and for callers of the library.
 */
export function startPiped(
  {addon, launcher}: Native,
  launch: Launch,
  options: number,
  ruleset: number,
): Running {
  const child = spawn(launcher, [], {
    argv0: launcherName,
    env: {},
    stdio: [...launch.stdio, options, 'pipe', ruleset === -1 ? 'ignore' : ruleset],
  });
  const control = openControl(launch);
  const outcome = new Promise<Outcome>((resolve, reject) => {
    const channel = child.stdio[4] as Socket;
    channel.setEncoding('utf8');
    channel.on('data', (text: string) => control.take(text));
    // A reset means that the launcher died: its end reports that.
    channel.on('error', () => channel.destroy());
    child.once('error', (error) => reject(notStarted(error)));
    const closed = new Promise<void>((done) => channel.once('close', () => done()));
    // It does not use 'close' of the child, which waits for every process that holds the other end of a stream.
    const exited = new Promise<number>((done) => {
      child.once('exit', (_code, signal) => done(signal ? constants.signals[signal] : 0));
    });
    void closed.then(async () => {
      const end = control.end();
      const signal = await (end ? Promise.race([exited, leftAlone(child)]) : exited);
      finishRun(addon, launch, end, signal, {resolve, reject});
    });
  });
  const say = (bytes: Buffer): void => {
    const channel = child.stdio[4] as Socket;
    if (channel.writable) channel.write(bytes);
  };
  return {
    stdio: [child.stdin, child.stdout, child.stderr],
    pid: child.pid,
    // The launcher ends at its end of file: see start-launcher.ts.
    signal: (name) => void (name === 'SIGKILL' ? (child.stdio[4] as Socket).end() : child.kill(name)),
    ...answersBy(say),
    outcome,
  };
}

/** Resolves when the launcher has had its time to exit. ion then does not wait for it either. */
function leftAlone(child: ChildProcess): Promise<0> {
  return new Promise((done) => {
    const timer = setTimeout(() => {
      child.unref();
      done(0);
    }, exitLimitMs);
    child.once('exit', () => clearTimeout(timer));
  });
}
