import {constants, realpathSync} from 'node:fs';
import {constants as osConstants} from 'node:os';
import path from 'node:path';
import type {AuditLog} from '../audit/log.ts';
import {IonError, quoted} from '../errors.ts';
import type {Stream} from '../session/recorder.ts';
import {quoteArgv} from '../session/command-text.ts';
import {hostHere, machinePaths} from '../session/host-here.ts';
import {openAuditLog} from '../session/open-audit-log.ts';
import {checkRecord, refusalsOf} from '../session/report/check-record.ts';
import {openSession, type Host, type Session as Core, type SessionFlags} from '../session/session.ts';
import {isWithin} from '../system/is-within.ts';
import {mayAccess} from '../system/may-access.ts';
import {SandboxedChild} from './child.ts';
import {openEventQueue, type EventQueue} from './event-queue.ts';
import {factsOf, openRun, type OneRun} from './one-run.ts';
import {programAsker} from './program-asker.ts';
import {spawnRequest, type SpawnRequest} from './spawn-request.ts';
import {openStreams} from './streams.ts';
import type {Check, Event, OpenOptions, Session, SpawnOptions} from './types.ts';

/** Opens a session of the library (see types.ts). `packageRoot` is the folder of this package. */
export async function openLibrary(packageRoot: string, options: OpenOptions = {}): Promise<Session> {
  const host = hostOf(packageRoot, options);
  const flags = flagsOf(options);
  const core = await openSession(host, flags);
  try {
    const warn = (text: string): void => host.warn?.(text);
    return sessionOver({core, flags, host, log: await openAuditLog(core, warn), events: openEventQueue()});
  } catch (error) {
    core.close();
    throw error;
  }
}

function hostOf(packageRoot: string, options: OpenOptions): Host {
  const {cwd = process.cwd(), env = process.env, onAsk, onWarning} = options;
  const report = onWarning ?? ((message: string) => process.emitWarning(message, 'IonWarning'));
  const warn = (problem: IonError | string): void =>
    report(
      typeof problem === 'string' ? problem : [problem.message, problem.help].filter(Boolean).join('; '),
    );
  const asker = onAsk ? programAsker(onAsk) : ('none' as const);
  const here = {packageRoot, places: machinePaths(), cwd: existingFolder(cwd), environment: {...env}, warn};
  return {...hostHere(here), asker};
}

function existingFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch (cause) {
    throw new IonError(`the folder ${quoted(folder)} does not exist`, {cause});
  }
}

function flagsOf(options: OpenOptions): SessionFlags {
  const {read, timeout, settings, layers, explain, askTimeout} = options;
  return {
    for: 'library',
    audience: options.audience ?? 'program',
    ...(read ? {read} : {}),
    ...(timeout === undefined ? {} : {timeoutMs: timeout}),
    ...(settings ? {settings} : {}),
    ...(layers === undefined ? {} : {layers}),
    ...(explain ? {explain} : {}),
    ...(askTimeout === undefined ? {} : {askTimeoutMs: askTimeout}),
  };
}

interface Opened {
  readonly core: Core;
  readonly flags: SessionFlags;
  readonly host: Host;
  readonly log: AuditLog | undefined;
  readonly events: EventQueue;
}

function sessionOver({core, flags, host, log, events}: Opened): Session {
  const children = new Set<SandboxedChild>();
  const environments = openEnvironments(core);
  let networked: Promise<Core> | undefined;
  let [isClosed, hasStarted] = [false, false];
  const stream: Stream = (line) => {
    if (events.hasReaders()) events.add(JSON.parse(line()) as Event);
  };
  /** Runs one command. The session for its variables stays open until `use` has ended. */
  const runIn = (
    {command, options, stdio, killSignal}: SpawnRequest,
    use: (run: OneRun) => Promise<void>,
  ): Promise<void> =>
    environments.use(options.env, async (session) => {
      const isFirst = !hasStarted;
      hasStarted = true;
      const {timeout} = options;
      const cwd = options.cwd === undefined ? host.cwd : folderIn(core, options.cwd);
      if (typeof command !== 'string') refuseMissing(command, cwd, (options.env ?? host.environment)['PATH']);
      return use(
        openRun({
          session,
          command: await commandOf(command),
          cwd,
          stdio,
          killSignal,
          timeoutMs: shorter(timeout, core.config.settings.limits.timeoutMs?.value),
          log,
          stream,
          isFirst,
          withNetwork: () => (networked ??= openSession(host, {...flags, networkApproved: true})),
        }),
      );
    });
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    core.ending.end();
    for (const child of children) child.kill('SIGKILL');
    await Promise.all([...children].map((child) => child.over));
    if (hasStarted) await core.notify('Stop', () => undefined);
    events.close();
    await environments.close();
    (await networked?.catch(() => undefined))?.close();
    core.close();
  };
  return {
    cwd: host.cwd,
    facts: factsOf(core),
    spawn(
      command: string | readonly string[],
      second?: readonly string[] | SpawnOptions,
      third?: SpawnOptions,
    ) {
      if (isClosed) throw new IonError('the session is closed');
      const request = spawnRequest(command, second, third);
      const streams = openStreams(request.stdio, core.machine.native?.addon);
      const words = typeof request.command === 'string' ? [request.command] : request.command;
      const child = new SandboxedChild({
        request,
        streams,
        words,
        runIn: (use) => runIn({...request, stdio: streams.theirs}, use),
      });
      children.add(child);
      void child.over.then(() => children.delete(child));
      return child;
    },
    async check(command): Promise<Check> {
      const decided = await core.preview(await commandOf(command));
      return {...checkRecord(decided, refusalsOf(core, decided))} as unknown as Check;
    },
    events: () => events.open(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function commandOf(command: string | readonly string[]): Promise<string> {
  return typeof command === 'string' ? Promise.resolve(command) : quoteArgv(command);
}

/** A list names a program, as with Node. A program that does not exist gives Node's own error, not bash's exit code 127. */
function refuseMissing([program = '', ...args]: readonly string[], cwd: string, searchPath = ''): void {
  const isThere = (file: string): boolean => mayAccess(path.resolve(cwd, file), constants.X_OK);
  const found = program.includes('/')
    ? isThere(program)
    : searchPath.split(':').some((folder) => isThere(path.join(folder, program)));
  if (found) return;
  const [code, errno] = ['ENOENT', -osConstants.errno.ENOENT];
  const syscall = `spawn ${program}`;
  throw Object.assign(new Error(`${syscall} ${code}`), {
    errno,
    code,
    syscall,
    path: program,
    spawnargs: args,
  });
}

/** Refuses a folder that the session cannot read: there the start would fail with an error of bash, which does not name the cause. */
export function folderIn({host, facts}: Core, cwd: string): string {
  const folder = existingFolder(path.resolve(host.cwd, cwd));
  const roots = [...facts.readRoots, ...facts.writeRoots];
  if (!facts.enforced || roots.some((root) => isWithin(folder, root))) return folder;
  throw new IonError(`cwd ${quoted(folder)} is outside of what the session may read`, {
    help: 'open a session there, or add the folder to sandbox.read_roots',
  });
}

export function shorter(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

/** How many plans for other variables are kept while no command uses them. */
const environmentsKept = 8;

interface Environment {
  readonly session: Promise<Core>;
  uses: number;
}

/** Sessions for commands with variables of their own. Each set of variables is planned once, and its plan is kept for reuse. */
function openEnvironments(core: Core): {
  use<T>(env: SpawnOptions['env'], work: (session: Core) => Promise<T>): Promise<T>;
  close(): Promise<void>;
} {
  const known = new Map<string, Environment>();
  const own = keyOf(core.host.environment);
  const end = async (session: Promise<Core>): Promise<void> =>
    (await session.catch(() => undefined))?.close();
  return {
    async use(env, work) {
      const key = env === undefined ? own : keyOf(env);
      if (key === own) return work(core);
      const one = known.get(key) ?? {session: core.withEnvironment({...env}), uses: 0};
      known.delete(key);
      known.set(key, one); // now the most recently used: the last to be closed
      one.uses++;
      try {
        return await work(await one.session);
      } finally {
        one.uses--;
        const idle = [...known].filter(([, {uses}]) => uses === 0);
        for (const [name, {session}] of idle.slice(0, -environmentsKept)) {
          known.delete(name);
          void end(session);
        }
      }
    },
    close: async () => void (await Promise.all([...known.values()].map(({session}) => end(session)))),
  };
}

function keyOf(environment: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(environment).filter(([, value]) => value !== undefined);
  return JSON.stringify(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
