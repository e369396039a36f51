import {checkCommand} from '../../src/cli/commands/check-command.ts';
import {IonError, renderMessage} from '../../src/errors.ts';
import type {CliResult} from '../../src/cli/result.ts';
import type {RunFlags} from '../../src/cli/program.ts';
import {packageRoot} from './package.ts';
import {environmentOf, type Ended} from './run.ts';
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
    if (!(error instanceof IonError)) throw error;
    const {message: text, at, help, exitCode} = error;
    return {exitCode, stdout: '', stderr: renderMessage({text, at, help})};
  }
}
