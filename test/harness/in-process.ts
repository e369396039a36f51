import {checkCommand} from '../../src/cli/commands/check-command.ts';
import {run} from '../../src/cli/commands/run-command.ts';
import {enterFolders} from '../../src/cli/enter-folder.ts';
import {runProgram} from '../../src/cli/program.ts';
import type {RunFlags} from '../../src/cli/run-flags.ts';
import type {CliResult} from '../../src/cli/result.ts';
import {parseFast} from '../../src/cli/run-options.ts';
import {startFolder} from '../../src/config/read/start-folder.ts';
import {isIonError, renderMessage, type IonError} from '../../src/errors.ts';
import {hostHere, machinePaths} from '../../src/session/host-here.ts';
import type {Host} from '../../src/session/session.ts';
import {adviceFor} from '../../src/system/system-errors.ts';
import {packageRoot} from './package.ts';
import {environmentOf, type Ended, type RunSpec} from './run.ts';
import type {Scratch} from './scratch.ts';

/**
 * Runs `ion check ...` in this process, for tables of decisions: the same code from the options on, in a hundredth of the
 * time. Supports the options --read, --json and --tool.
 */
export async function checkInProcess(scratch: Scratch, args: readonly string[]): Promise<Ended> {
  const words = args.slice(1);
  const options: {-readonly [name in keyof RunFlags]: RunFlags[name]} = {sandbox: true};
  for (; words[0]?.startsWith('--'); words.shift()) {
    if (words[0] === '--read') options.read = true;
    else if (words[0] === '--json') options.json = true;
    else if (words[0] === '--tool') options.tool = words.splice(1, 1)[0]!;
    else throw new Error(`not known here: ${words[0]}`);
  }
  const {exitCode, stdout, stderr} = await answer(words, options, scratch);
  return {code: exitCode, signal: null, stdout, stderr};
}

async function answer(words: readonly string[], options: RunFlags, scratch: Scratch): Promise<CliResult> {
  const warnings: string[] = [];
  try {
    const result = await checkCommand(
      {words, argv: words.length > 1, options},
      {
        packageRoot,
        cwd: scratch.work,
        home: scratch.home,
        otherHomes: [],
        machineConfig: '/nonexistent',
        environment: environmentOf(scratch),
        uid: process.getuid!(),
        node: process.execPath,
        warn: (problem) =>
          warnings.push(
            renderMessage(typeof problem === 'string' ? {text: problem} : {text: problem.message}),
          ),
      },
    );
    return {...result, stderr: `${warnings.join('')}${result.stderr}`};
  } catch (error) {
    if (!isIonError(error)) throw error;
    return {exitCode: error.exitCode, stdout: '', stderr: shown(error)};
  }
}

/**
 * Runs ion from its options up to the refusal of a command, in this process, with the same steps as cli/main.ts. It fails if
 * nothing is refused, because a table of refusals must not run a command, and the output would be lost.
 */
export async function refuseInProcess(
  scratch: Scratch,
  args: readonly string[],
  {cwd = scratch.work, env}: RunSpec = {},
): Promise<Ended> {
  const warnings: string[] = [];
  const host = (): Host =>
    hostHere({
      packageRoot,
      places: machinePaths(),
      cwd: startFolder(),
      environment: environmentOf(scratch, env),
      warn: (problem) =>
        warnings.push(typeof problem === 'string' ? renderMessage({text: problem}) : shown(problem)),
    });
  const before = process.cwd();
  process.chdir(cwd);
  try {
    const exitCode = await started(args, host);
    throw new Error(`not refused: it ended with ${exitCode}`);
  } catch (error) {
    if (!isIonError(error)) throw error;
    const stderr = `${warnings.join('')}${shown(error)}`;
    return {code: error.exitCode, signal: null, stdout: '', stderr};
  } finally {
    process.chdir(before);
  }
}

function started(args: readonly string[], host: () => Host): Promise<number> {
  const fast = parseFast(args);
  if (fast?.verb !== 'run') return runProgram(args, host, '0.0.0');
  enterFolders(fast.folder, fast.options.C);
  return run(fast, host());
}

function shown({message: text, at, help, cause}: IonError): string {
  return renderMessage({text, at, help: help ?? adviceFor(cause)});
}
