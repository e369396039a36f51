import {fstatSync} from 'node:fs';
import {exitCodes, IonError} from '../../errors.ts';
import {quoteArgv} from '../../session/command-text.ts';
import type {Audience} from '../../session/report/audience.ts';
import type {ScriptFile} from '../../session/script-root.ts';
import type {Host} from '../../session/session.ts';
import {plainForm, type ShellForm} from '../../shell/shell-arguments.ts';
import type {Caller} from '../front/caller.ts';
import {readScript} from '../front/read-script.ts';
import {shellRequest} from '../front/shell-request.ts';
import {showError} from '../failure.ts';
import {say, writeOut} from '../output.ts';
import type {CommandRun} from '../run-in-progress.ts';
import {runCommand} from './run-command.ts';

/** ion-sh and ion-exec: `ion run` for programs that start a shell. Returns the exit code. */
export async function runShell(caller: Caller, host: Host): Promise<number> {
  // The step that installs ion asks this.
  if (caller.argv[1] === '--ion-self-test') {
    writeOut(`${caller.program} works\n`);
    return 0;
  }
  const audience = await readerOf(caller);
  try {
    return await carryOut(caller, host, audience);
  } catch (error) {
    return showError(error, audience);
  }
}

async function carryOut(caller: Caller, host: Host, audience: Audience): Promise<number> {
  const request = shellRequest(caller);
  if (request.kind === 'wrong') {
    say({text: request.text});
    return request.code;
  }
  const common = {audience, front: true, jobserver: caller.jobserver} as const;
  const start = (command: string, form: ShellForm, script?: ScriptFile): Promise<number> =>
    runCommand(
      {...common, command, form, ...(script === undefined ? {} : {script})} satisfies CommandRun,
      host,
    );
  if (request.kind === 'shows') return start(`bash ${request.option}`, plainForm);
  const {form} = request;
  // bash does nothing with an empty command, but its options may be wrong. `ion run` refuses it as a mistake.
  const runNothing = ({options}: ShellForm): Promise<number> | number =>
    options.length === 0 ? 0 : start('#', {options, operands: []});
  if (request.kind === 'command') {
    const {text} = request;
    return text.trim() === '' ? runNothing(form) : start(text, form);
  }
  const {source} = request.form;
  if (source === 'stdin') {
    if (await isTerminal(0)) throw noPrompt();
    return start(await quoteArgv(['bash', '-s', '--', ...form.operands]), form);
  }
  const script = readScript(source.file, host.cwd);
  if (script.text?.trim() === '') return runNothing(form);
  // ion decides about a file that it cannot read, or that is too long, as about any program.
  if (script.text === undefined)
    return start(await quoteArgv(['bash', '--', source.file, ...form.operands]), form);
  return start(script.text, {...form, source: {...source, text: script.text}}, script.file);
}

function noPrompt(): IonError {
  return new IonError('ion-sh needs a command: the interactive prompt is not part of this version', {
    help: 'usage: ion-sh -c "<bash command>" [name [argument ...]], ion-sh FILE [argument ...], or a script on stdin',
    exitCode: exitCodes.failed,
  });
}

/** Agents start ion-exec. A tool of a person may start ion-sh: then stderr is a terminal. */
async function readerOf({program}: Caller): Promise<Audience> {
  return program !== 'ion-exec' && (await isTerminal(2)) ? 'person' : 'program';
}

/** node:tty takes 4 ms to load, and is not needed for a file or a pipe. */
async function isTerminal(descriptor: number): Promise<boolean> {
  if (!fstatSync(descriptor).isCharacterDevice()) return false;
  const {isatty} = await import('node:tty');
  return isatty(descriptor);
}
