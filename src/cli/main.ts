import {userInfo} from 'node:os';
import {attempt} from '../system/attempt.ts';
import {findHomes, type MachinePaths} from '../config/read/own-home.ts';
import {startFolder} from '../config/read/start-folder.ts';
import {refuseWindows} from '../sandbox/machine.ts';
import type {Host} from '../session/session.ts';
import {startTiming} from '../session/timing.ts';
import {showError} from './failure.ts';
import {leaveTerminal} from './leave-terminal.ts';
import {say} from './output.ts';
import {chooseColor} from './paint.ts';
import {run} from './commands/run-command.ts';
import {enterFolders} from './enter-folder.ts';
import {parseFastRun} from './run-options.ts';

declare const ION_VERSION: string;

/** The entry of bin/ion: the only place that exits. Exit codes: errors.ts and the product contract, section 2. */
export function main(packageRoot: string, places = machinePaths()): void {
  start(packageRoot, places).then(exit, (error: unknown) => exit(showError(error)));
}

/** No variable chooses these. */
function machinePaths(): MachinePaths {
  // Without an entry (a container's own uid) HOME is all there is.
  return {machineConfig: '/etc/ion/config.toml', passwdHome: attempt(() => userInfo().homedir)};
}

async function start(packageRoot: string, places: MachinePaths): Promise<number> {
  const args = process.argv.slice(2);
  const fast = parseFastRun(args);
  if (fast) {
    enterFolders(fast.folder, fast.options.C);
    if (fast.options.color !== undefined) chooseColor(fast.options.color);
    return run(fast, currentHost(packageRoot, places));
  }
  const {runProgram} = await import('./program.ts');
  return runProgram(args, () => currentHost(packageRoot, places), ION_VERSION);
}

function currentHost(packageRoot: string, places: MachinePaths): Host {
  refuseWindows();
  const cwd = startFolder();
  const {own, all, refused} = findHomes({...places, named: process.env['HOME'], cwd});
  return {
    packageRoot,
    cwd,
    home: own,
    otherHomes: all.filter((home) => home !== own),
    homeRefused: refused,
    machineConfig: places.machineConfig,
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
