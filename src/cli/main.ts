import {exitCodes, type IonError} from '../errors.ts';
import {startFolder} from '../config/project.ts';
import {refuseWindows} from '../sandbox/machine.ts';
import type {Host} from '../session/session.ts';
import {startTiming} from '../session/timing.ts';
import {say} from './output.ts';
import {run} from './run.ts';
import {parseFastRun} from './fast.ts';

declare const ION_VERSION: string;

/** The entry of bin/ion: the only place that exits. Exit codes: errors.ts and the product contract, section 2. */
export function main(packageRoot: string): void {
  start(packageRoot).then(exit, (error: unknown) => exit(report(error)));
}

async function start(packageRoot: string): Promise<number> {
  const args = process.argv.slice(2);
  const fast = parseFastRun(args);
  if (fast) return run(fast, currentHost(packageRoot));
  const {runProgram} = await import('./program.ts');
  return runProgram(args, () => currentHost(packageRoot), ION_VERSION);
}

function currentHost(packageRoot: string): Host {
  refuseWindows();
  return {
    packageRoot,
    cwd: startFolder(),
    environment: process.env,
    uid: process.getuid?.() ?? -1,
    node: process.execPath,
    warn: (problem) =>
      say(
        typeof problem === 'string'
          ? {text: problem}
          : {text: problem.message, at: problem.at, help: problem.help},
      ),
    timing: startTiming(process.env['ION_TIMING'] === '1'),
  };
}

function exit(code: number): void {
  // Nothing is left to do, but handles (signal watchers) may still be open.
  // oxlint-disable-next-line unicorn/no-process-exit -- the one exit point
  process.exit(code);
}

/** By name: each bundle in dist/ has a class of its own. */
function isIonError(error: unknown): error is IonError {
  return error instanceof Error && error.name === 'IonError';
}

/** Show an error on stderr; returns the exit code. */
function report(error: unknown): number {
  if (isIonError(error)) {
    say({text: error.message, at: error.at, help: error.help});
    return error.exitCode;
  }
  const shown = error instanceof Error ? (error.stack ?? error.message) : String(error);
  say({text: `this is a bug in ion\n${shown}`, help: 'please report it with the command that you ran'});
  return exitCodes.failed;
}
