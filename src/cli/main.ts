import type {MachinePaths} from '../config/read/own-home.ts';
import {startFolder} from '../config/read/start-folder.ts';
import {refuseWindows} from '../sandbox/machine.ts';
import type {IonError} from '../errors.ts';
import {hostHere, machinePaths} from '../session/host-here.ts';
import type {Host} from '../session/session.ts';
import {startTiming} from '../session/timing.ts';
import {showError} from './failure.ts';
import {leaveTerminal} from './leave-terminal.ts';
import {print, say} from './output.ts';
import {chooseColor} from './paint.ts';
import {run} from './commands/run-command.ts';
import {enterFolders} from './enter-folder.ts';
import {readCaller, type Caller} from './front/caller.ts';
import {runShell} from './commands/shell-command.ts';
import {parseFast, type FastCommand} from './run-options.ts';

declare const ION_VERSION: string;

/**
 * The entry point of bin/ion, and the only place that exits. Exit codes: errors.ts and the product contract, section
 * 2.
 */
export function main(packageRoot: string, places = machinePaths()): void {
  start(packageRoot, places).then(exit, (error: unknown) => exit(showError(error)));
}

async function start(packageRoot: string, places: MachinePaths): Promise<number> {
  // The static starter of ion-sh and ion-exec is the only program that starts Node under this name (native/starter).
  if (process.argv0 === 'ion-starter') return startShell(packageRoot, places);
  const args = process.argv.slice(2);
  const fast = parseFast(args);
  if (fast) {
    enterFolders(fast.folder, fast.options.C);
    if (fast.options.color !== undefined) chooseColor(fast.options.color);
    return startFast(fast, currentHost(packageRoot, places));
  }
  const {runProgram} = await import('./program.ts');
  return runProgram(args, () => currentHost(packageRoot, places), ION_VERSION);
}

async function startFast(fast: FastCommand, host: Host): Promise<number> {
  if (fast.verb === 'run') return run(fast, host);
  const {checkCommand} = await import('./commands/check-command.ts');
  return print(await checkCommand(fast, host));
}

/** The caller's variables are data for the command. They never reach ion's own process. */
function startShell(packageRoot: string, places: MachinePaths): Promise<number> {
  const caller = readCaller(Number(process.argv[2]));
  return runShell(caller, currentHost(packageRoot, places, caller));
}

function currentHost(packageRoot: string, places: MachinePaths, caller?: Caller): Host {
  const environment = caller?.environment ?? process.env;
  const warn = (problem: IonError | string): void =>
    say(
      typeof problem === 'string'
        ? {text: problem}
        : {text: problem.message, at: problem.at, help: problem.help},
    );
  refuseWindows();
  return {
    ...hostHere({packageRoot, places, cwd: startFolder(), environment, warn, front: caller !== undefined}),
    timing: startTiming(environment['ION_TIMING'] === '1'),
  };
}

function exit(code: number): void {
  leaveTerminal();
  // The work is done, but open handles (signal watchers) would keep Node running.
  // oxlint-disable-next-line unicorn/no-process-exit -- the one exit point
  process.exit(code);
}
