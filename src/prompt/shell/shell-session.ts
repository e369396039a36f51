import {randomBytes} from 'node:crypto';
import {statSync} from 'node:fs';
import type {Boundary} from '../../sandbox/boundary.ts';
import type {Running} from '../../sandbox/launch.ts';
import type {Session} from '../../session/session.ts';
import type {RunOptions} from '../../session/start.ts';
import {IonError, quoted} from '../../errors.ts';
import {isWithin} from '../../system/is-within.ts';
import {realpathOrUndefined} from '../../system/real-path.ts';
import {unquoted} from './bash-quoting.ts';
import {openReportChannel, type ReportChannel} from './report-channel.ts';
import {emptyMemory, type ShellMemory} from './shell-memory.ts';
import {parseReport} from './shell-report.ts';
import {shellScript} from './shell-script.ts';

/** The state that lasts from command to command. Changed by reports of sandboxed shells. */
export interface Shell {
  memory: ShellMemory;
  /** Canonical. Where the next command starts. */
  cwd: string;
  /** Counts the reports that changed the state. */
  version: number;
}

/** A command that starts with the shell's state, and reports the state that it leaves. */
export interface Turn {
  readonly shell: Shell;
  /** The shell's state at the beginning of the command. A second run of the command, after a yes, starts with it too. */
  readonly start: Readonly<Shell>;
  /** The state that the command started with or left. Another version is that of a command that ran while this one was stopped. */
  version: number;
  /** `$?` at the beginning of the command. */
  readonly status: number;
  /** The command was stopped. */
  readonly onStop: () => void;
  /** Called if the bash of the command ran, but reported no state. */
  readonly onLoss: () => void;
  /** Something about the state to tell the user. */
  readonly warn: (problem: IonError) => void;
}

export function openShell(cwd: string): Shell {
  return {memory: emptyMemory, cwd, version: 0};
}

/** The value of a variable for ion's own search: PATH, HOME. Undefined: the command has the value that ion sets. */
export function valueOf({memory}: Readonly<Shell>, name: string): string | undefined {
  const source = memory.variables.find((one) => one.name === name)?.source;
  return source === undefined || source.startsWith('(') ? undefined : unquoted(source);
}

/** The session, for one command of the prompt. Its boundary is the session's own: nothing of the shell's state changes it. */
export function withShell(session: Session, turn: Turn): Session {
  return {
    ...session,
    // Read mode restores no variable.
    decide: (command, emit, cwd) =>
      session.decide(
        command,
        emit,
        cwd,
        session.facts.boundary === 'read' ? undefined : valueOf(turn.start, 'PATH'),
      ),
    start: (command, options) => startWithShell(session, turn, command, options),
    reader: async () => withShell(await session.reader(), turn),
  };
}

async function startWithShell(
  session: Session,
  turn: Turn,
  command: string,
  options: RunOptions,
): Promise<Running> {
  const {shell, start, onStop} = turn;
  const {native} = session.machine;
  const onEvent: RunOptions['onEvent'] = (event) =>
    event.kind === 'stopped' ? onStop() : options.onEvent?.(event);
  if (!native) return session.start(command, {...options, cwd: start.cwd, onEvent});
  if (shell.version === turn.version) [shell.memory, shell.cwd] = [start.memory, start.cwd];
  const channel = openReportChannel(native.addon);
  const nonce = randomBytes(16).toString('hex');
  let [given, boundary]: [Readonly<Record<string, string>>, Boundary] = [{}, 'write'];
  const script = (environment: typeof given, within: Boundary): Uint8Array => {
    [given, boundary] = [environment, within];
    return shellScript({
      memory: start.memory,
      status: turn.status,
      nonce,
      given: environment,
      boundary: within,
    });
  };
  try {
    const state = {script, report: channel.theirs};
    const environment = {...options.environment, ...formerFolder(session, start)};
    const running = await session.start(command, {
      ...options,
      environment,
      cwd: start.cwd,
      shell: state,
      onEvent,
    });
    const outcome = running.outcome.finally(async () => {
      const report = parseReport(await bytesOf(channel), nonce, given);
      if (shell.version !== turn.version) return;
      if (report) adopt(session, turn, report, boundary);
      else turn.onLoss();
    });
    return {...running, outcome};
  } finally {
    channel.handedOver();
  }
}

/** For `cd -` in read mode, which restores no variable. */
function formerFolder({facts}: Session, start: Readonly<Shell>): Readonly<Record<string, string>> {
  const folder = facts.boundary === 'read' ? valueOf(start, 'OLDPWD') : undefined;
  return folder?.startsWith('/') && start.memory.encoding === 'utf8' ? {OLDPWD: folder} : {};
}

/** The launcher ends right after its report. A launcher that cannot end still holds the socket. */
const patienceMs = 1000;

async function bytesOf({bytes}: ReportChannel): Promise<Buffer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Buffer>((resolve) => {
    timer = setTimeout(() => resolve(Buffer.alloc(0)), patienceMs);
  });
  return Promise.race([bytes, late]).finally(() => clearTimeout(timer));
}

/** Read mode restores only the folder and the one before it, so only these of its report count. */
function adopt(
  session: Session,
  turn: Turn,
  report: NonNullable<ReturnType<typeof parseReport>>,
  boundary: Boundary,
): void {
  const {shell, warn} = turn;
  turn.version = ++shell.version;
  shell.memory = boundary === 'read' ? withFormerFolder(shell.memory, report.memory) : report.memory;
  const folder = usableFolder(session, report.cwd);
  if (folder !== undefined) shell.cwd = folder;
  else
    warn(
      new IonError(
        `the next command starts in ${quoted(shell.cwd, 4096)}: ${quoted(report.cwd)} is not a folder that commands can read`,
        {
          help: 'roots come from the folder where ion started; start ion in the other folder',
        },
      ),
    );
}

function withFormerFolder(memory: ShellMemory, reported: ShellMemory): ShellMemory {
  const former = reported.variables.find(({name}) => name === 'OLDPWD');
  if (!former || memory.encoding !== reported.encoding) return memory;
  return {...memory, variables: [...memory.variables.filter(({name}) => name !== 'OLDPWD'), former]};
}

/** bash could start there, but could not even list the folder. */
function usableFolder({facts}: Session, cwd: string): string | undefined {
  const folder = realpathOrUndefined(cwd);
  if (folder === undefined || !statSync(folder, {throwIfNoEntry: false})?.isDirectory()) return undefined;
  const roots = [...facts.readRoots, ...facts.writeRoots];
  return !facts.enforced || roots.some((root) => isWithin(folder, root)) ? folder : undefined;
}
