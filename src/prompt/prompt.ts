import path from 'node:path';
import {namedNetwork} from '../config/network/network-table.ts';
import {IonError, isIonError, quoted, withoutControls} from '../errors.ts';
import type {Host, Session, SessionFlags} from '../session/session.ts';
import {cutTo, widthOf} from './line/draw.ts';
import {complete} from './completion/complete.ts';
import {openHistory, type History} from './history-file.ts';
import {openJobs} from './command-jobs.ts';
import {lineKind, slashCommands, type OwnLine} from './line-kind.ts';
import {openModes} from './modes.ts';
import {carryOwn} from './own-commands-run.ts';
import {continueJob, runCommand} from './run-command-line.ts';
import type {Prompt} from './prompt-state.ts';
import type {Services} from './services.ts';
import {isOpen} from './shell/grammar.ts';
import {openShell, valueOf} from './shell/shell-session.ts';
import {openLineReader, type Line, type LineReader} from './terminal/line-reader.ts';
import {openPlainReader} from './terminal/plain-reader.ts';
import {openTerminalDevice} from './terminal/terminal-device.ts';

/** Signals that end the prompt. The others are for the command in the foreground. */
const endings = ['SIGHUP', 'SIGTERM'] as const;
/** They come from the terminal, between two commands. */
const ignored = ['SIGINT', 'SIGQUIT', 'SIGTSTP'] as const;

/** `ion`: reads commands at the terminal and runs them until the user ends it. Returns the exit code. */
export async function runPrompt(host: Host, flags: SessionFlags, services: Services): Promise<number> {
  const terminal = openTerminalDevice();
  if (!terminal)
    throw new IonError('the prompt needs a terminal', {help: 'ion run "<bash command>" needs none'});
  const ending = new AbortController();
  let endedBy: (typeof endings)[number] | undefined;
  const end = (name: NodeJS.Signals): void => {
    endedBy ??= name as (typeof endings)[number];
    ending.abort();
  };
  const ignore = (): void => undefined;
  for (const name of endings) process.on(name, end);
  for (const name of ignored) process.on(name, ignore);
  const modes = await openModes(host, flags);
  const prompt: Prompt = {
    host,
    services,
    terminal,
    modes,
    shell: openShell(host.cwd),
    jobs: openJobs(),
    history: openHistory(host.home),
    ended: ending.signal,
    exitCode: undefined,
    denial: undefined,
    isFirst: true,
    wasWarned: false,
    knowsOfLoss: false,
  };
  try {
    const code = await readAndRun(prompt);
    return endedBy === undefined ? code : 128 + (endedBy === 'SIGHUP' ? 1 : 15);
  } finally {
    for (const {job} of prompt.jobs.stopped.values()) job.signal('SIGKILL');
    if (!prompt.isFirst) await modes.session().notify('Stop', () => undefined);
    modes.close();
    for (const name of endings) process.removeListener(name, end);
    for (const name of ignored) process.removeListener(name, ignore);
    terminal.close();
  }
}

async function readAndRun(prompt: Prompt): Promise<number> {
  const {services, modes, history, ended, host} = prompt;
  const isPlain = !canMoveCursor(host.environment);
  const colors = !isPlain && !host.environment['NO_COLOR'];
  const reader = isPlain ? openPlainReader(prompt.terminal) : openLineReader(prompt.terminal, colors);
  await services.stateBoundary(modes.session());
  services.say({
    text: `${modes.current()} mode, ${sandboxName(modes.session())}; /help lists what the prompt can do`,
  });
  for (;;) {
    await reportEndedJobs(prompt);
    const line = await readLine(prompt, reader);
    if (line.kind === 'gone' || ended.aborted) return 0;
    if (line.kind === 'cancel') {
      prompt.exitCode = 130;
      continue;
    }
    const text = line.kind === 'line' ? line.text : 'exit';
    if (line.kind === 'line') remember(prompt, history, text);
    const code = await guarded(prompt, () => carryOutLine(prompt, text));
    if (code !== undefined) return code;
  }
}

/** Returns the exit code if the line ends the prompt. */
async function carryOutLine(prompt: Prompt, text: string): Promise<number | undefined> {
  const kind = lineKind(text);
  if (kind.kind === 'nothing') return undefined;
  if (kind.kind === 'own') return carryAll(prompt, kind.commands);
  prompt.wasWarned = false;
  if (kind.misplaced !== undefined && prompt.jobs.stopped.size > 0) sayMisplaced(prompt, kind.misplaced);
  if (await prompt.modes.refresh()) await prompt.services.stateBoundary(prompt.modes.session());
  await runCommand(prompt, text);
  return undefined;
}

async function carryAll(prompt: Prompt, commands: readonly OwnLine[]): Promise<number | undefined> {
  for (const {name, words} of commands) {
    const code = await carryOwn(prompt, name, words);
    if (code !== undefined) return code;
  }
  return undefined;
}

function sayMisplaced({services}: Prompt, command: string): void {
  services.say({
    text: `${quoted(command)} in this line is bash's: it does not know the stopped commands of the prompt`,
    help: 'jobs, fg and kill %N of the prompt stand on a line of their own, or with ";" between them',
  });
}

/** An error in one line does not end the prompt. */
async function guarded<T>({services}: Prompt, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!isIonError(error)) throw error;
    services.say({text: error.message, at: error.at, help: error.help});
    return undefined;
  }
}

function remember({services}: Prompt, history: History, line: string): void {
  try {
    history.add(line);
  } catch (error) {
    if (!isIonError(error)) throw error;
    services.say({text: `the line is not in the history: ${error.message}`, help: error.help});
  }
}

/** A stopped job that has ended meanwhile: a time limit, or a signal from outside. */
async function reportEndedJobs(prompt: Prompt): Promise<void> {
  for (const one of prompt.jobs.stopped.values()) if (one.job.hasEnded()) await continueJob(prompt, one);
}

function readLine(prompt: Prompt, reader: LineReader): Promise<Line> {
  const {modes, history, jobs, ended} = prompt;
  return reader.read({
    prompt: (columns) => promptText(prompt, columns),
    status: () => ({
      mode: modes.current(),
      sandbox: sandboxName(modes.session()),
      isEnforced: modes.session().facts.enforced,
      network: namedNetwork(modes.session().facts.network),
      workspace: shownPath(prompt, modes.session().config.workspace),
      exitCode: prompt.exitCode,
      denial: prompt.denial?.replace(/^([\da-f]{8})[\da-f]*/, '$1'),
      stopped: jobs.stopped.size,
    }),
    history: history.entries(),
    isOpen: (text) => lineKind(text).kind === 'command' && isOpen(text),
    ended,
    complete: (text, cursor) => complete(text, cursor, completionPlace(prompt), slashCommands),
    async nextMode() {
      const {names} = modes;
      const next = names[(names.indexOf(modes.current()) + 1) % names.length]!;
      try {
        await modes.change(next);
        return undefined;
      } catch (error) {
        if (!isIonError(error)) throw error;
        return error.message;
      }
    },
  });
}

function completionPlace({shell, host}: Prompt): Parameters<typeof complete>[2] {
  const {memory} = shell;
  return {
    cwd: shell.cwd,
    home: valueOf(shell, 'HOME') ?? host.environment['HOME'],
    searchPath: valueOf(shell, 'PATH') ?? host.environment['PATH'] ?? '',
    names: [...memory.aliases.keys(), ...memory.functions.map(({name}) => name), 'fg', 'jobs', 'exit'],
  };
}

/** On a narrow terminal only the end of the folder's name: there must be room for the line. */
function promptText(prompt: Prompt, columns: number): string {
  const {modes, shell, host} = prompt;
  const mode = modes.current() === 'write' ? '' : ` (${modes.current()})`;
  const end = `${mode} ${host.uid === 0 ? '#' : '$'} `;
  const folder = withoutControls(shownPath(prompt, shell.cwd));
  const room = Math.floor((columns - 1) / 2); // as much as draw() shows of it
  const forms = [`ion ${folder}${end}`, `${folder}${end}`, `${path.basename(folder)}${end}`];
  const fitting = forms.find((form) => widthOf(form) <= room);
  return fitting ?? `${cutTo(path.basename(folder), room - widthOf(end))}${end}`;
}

/** With `~`. Folder names come from commands: the result is escaped where it is shown. */
function shownPath({host}: Prompt, file: string): string {
  const home = host.environment['HOME'];
  if (!home || home === '/') return file;
  return file === home ? '~' : file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
}

function sandboxName({facts}: Session): string {
  return facts.backend === 'none' ? 'no sandbox' : facts.backend;
}

function canMoveCursor(environment: Host['environment']): boolean {
  return !['', 'dumb', 'unknown', 'emacs'].includes(environment['TERM'] ?? '');
}
