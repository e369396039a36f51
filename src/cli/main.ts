import {startFolder} from '../config/project.ts';
import {refuseWindows} from '../sandbox/machine.ts';
import type {Host} from '../session/session.ts';
import {startTiming} from '../session/timing.ts';
import {showError} from './failure.ts';
import {leaveTerminal} from './leave-terminal.ts';
import {say} from './output.ts';
import {run} from './run.ts';
import {parseFastRun} from './fast.ts';

declare const ION_VERSION: string;

/** The entry of bin/ion: the only place that exits. Exit codes: errors.ts and the product contract, section 2. */
export function main(packageRoot: string): void {
  start(packageRoot).then(exit, (error: unknown) => exit(showError(error)));
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
  leaveTerminal();
  // Nothing is left to do, but handles (signal watchers) may still be open.
  // oxlint-disable-next-line unicorn/no-process-exit -- the one exit point
  process.exit(code);
}
