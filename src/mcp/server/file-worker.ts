import {constants, readFileSync} from 'node:fs';
import path from 'node:path';
import type {Readable, Writable} from 'node:stream';
import type {Running} from '../../sandbox/launch.ts';
import type {AutorunEvent} from '../../sandbox/run-event.ts';
import type {Host} from '../../session/host.ts';
import type {SessionFlags} from '../../session/session-flags.ts';
import {openSession, type Session} from '../../session/session.ts';
import {shellWord} from '../../shell/quote.ts';
import {attempt} from '../../system/attempt.ts';
import {isWithin} from '../../system/is-within.ts';
import {mayAccess} from '../../system/may-access.ts';
import {readLines} from '../wire/read-lines.ts';

/** The program that carries out file tools inside the sandbox. It is started at its first use, and again after its end. */
export interface FileWorker {
  /** Decides about file tools. Its boundary is that of commands, without /etc. */
  readonly session: Session;
  /** Resolves to the tool's result. Rejects with a `WorkerError`. */
  call(operation: string, request: object, signal: AbortSignal): Promise<unknown>;
  /**
   * Ends the worker, so that what it changed in git's own files is compared and repaired now, not at the end of the
   * connection. Returns what was repaired.
   */
  verify(): Promise<readonly AutorunEvent[]>;
  close(): Promise<void>;
}

/** The worker's answer that a tool was not possible. */
export class WorkerError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** A request that takes longer has an endless pattern, or reads a file system that does not answer. */
const requestMs = 30_000;
/** If the worker is still busy with a cancelled request after this time, the request never ends. */
const cancelledMs = 1000;
const heapMb = 512;
/** A list of 10,000 long paths is the longest. */
const replyBytes = 64 * 1024 * 1024;

export async function openFileWorker(host: Host, flags: SessionFlags): Promise<FileWorker> {
  const {PATH, HOME, LANG, TMPDIR} = host.environment;
  const session = await openSession(
    // No variable that Node obeys reaches the worker.
    {...host, environment: {PATH, HOME, LANG, TMPDIR}},
    {
      ...flags,
      for: 'library',
      ownProgram: true,
      settings: {
        permissions: {'denied_paths+': ['/etc']},
        sandbox: {'read_roots+': [path.dirname(host.node)]},
      },
    },
  );
  let current: Promise<Started> | undefined;
  let isClosed = false;
  const started = (): Promise<Started> => {
    if (isClosed) throw new WorkerError('CLOSED', 'the connection has ended');
    if (current) return current;
    const over = (): void => {
      if (current === one) current = undefined;
    };
    const one = startWorker(session, over);
    current = one;
    one.catch(over);
    return one;
  };
  return {
    session,
    async call(operation, request, signal) {
      const ask = async (): Promise<unknown> => (await started()).ask(operation, request, signal);
      try {
        return await ask();
      } catch (error) {
        // Another request has ended the worker. A request that only reads can be sent again.
        const isLost = error instanceof WorkerError && error.code === 'WORKER_ENDED';
        if (!isLost || !reading.has(operation)) throw error;
        return ask();
      }
    },
    async verify() {
      const worker = await current;
      current = undefined;
      worker?.end();
      await worker?.ended;
      return worker?.repairs ?? [];
    },
    async close() {
      isClosed = true;
      const worker = await current?.catch(() => undefined);
      worker?.running.signal('SIGKILL');
      await worker?.ended;
      session.close();
    },
  };
}

const reading: ReadonlySet<string> = new Set(['read', 'glob', 'grep', 'ls']);

interface Started {
  readonly running: Running;
  readonly ended: Promise<void>;
  /** Filled when it has ended. */
  readonly repairs: readonly AutorunEvent[];
  /** Lets it finish its current request. */
  end(): void;
  ask(operation: string, request: object, signal: AbortSignal): Promise<unknown>;
}

/** Takes the worker's code from the first line of stdin: the sandbox need not read ion's own folder. */
const bootstrap = `let text = '';
const take = (chunk) => {
  text += chunk;
  const end = text.indexOf('\\n');
  if (end === -1) return;
  process.stdin.off('data', take);
  process.stdin.pause();
  const rest = text.slice(end + 1);
  (0, eval)(JSON.parse(text.slice(0, end)))({}, require, {exports: {}});
  process.stdin.resume();
  if (rest !== '') process.stdin.emit('data', rest);
};
process.stdin.setEncoding('utf8').on('data', take);`;

/** `onOver` is called before the requests that wait are rejected: they may be sent again. */
async function startWorker(session: Session, onOver: () => void): Promise<Started> {
  const {host} = session;
  const node = [host.node, `--max-old-space-size=${heapMb}`, '-e', bootstrap].map(shellWord).join(' ');
  const ripgrep = findRipgrep(session);
  // In read mode only the programs that the text names may execute.
  const command = `exec ${node}${ripgrep === undefined ? '' : `; ${shellWord(ripgrep)}`}`;
  const repairs: AutorunEvent[] = [];
  const running = await session.start(command, {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Node does not start if it may not read the one in /etc.
    environment: {OPENSSL_CONF: '/dev/null'},
    onEvent: (event) => void (event.kind === 'autorun' && repairs.push(event)),
  });
  const [input, output, errors] = running.stdio as readonly [Writable, Readable, Readable];
  const code = readFileSync(path.join(host.packageRoot, 'dist/tools-worker.cjs'), 'utf8');
  const waiting = new Map<number, Waiting>();
  let [said, lastId] = ['', 0];
  errors.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2000)));
  input.on('error', () => undefined);
  input.write(`${JSON.stringify(code)}\n`);
  readReplies(output, waiting);
  const ended = running.outcome.then(
    () => undefined,
    () => undefined,
  );
  void ended.then(() => {
    onOver();
    const why = said.trim() === '' ? '' : `: ${said.trim().split('\n').at(-1)}`;
    for (const one of waiting.values())
      one.reject(new WorkerError('WORKER_ENDED', `the file worker has ended${why}`));
    waiting.clear();
  });
  return {
    running,
    ended,
    repairs,
    end: () => input.end(),
    ask: (operation, request, signal) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        const over = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', cancel);
          waiting.delete(id);
        };
        const cancel = (): void => {
          over();
          reject(signal.reason as Error);
          const late = setTimeout(() => running.signal('SIGKILL'), cancelledMs);
          waiting.set(id, {resolve: () => clearTimeout(late), reject: () => clearTimeout(late)});
        };
        const timer = setTimeout(() => {
          over();
          reject(new WorkerError('TIMED_OUT', `the tool took longer than ${requestMs / 1000} seconds`));
          // The worker may be busy for ever. The next call starts another one.
          running.signal('SIGKILL');
        }, requestMs);
        signal.addEventListener('abort', cancel, {once: true});
        waiting.set(id, {
          resolve: (value) => (over(), resolve(value)),
          reject: (error) => (over(), reject(error)),
        });
        const more = operation === 'grep' && ripgrep !== undefined ? {ripgrep} : {};
        input.write(`${JSON.stringify({id, operation, request: {...request, ...more}})}\n`);
      }),
  };
}

/** The first ripgrep on PATH that no command of the workspace can have put there. */
function findRipgrep({host, facts}: Session): string | undefined {
  return (host.environment['PATH'] ?? '')
    .split(':')
    .filter((folder) => path.isAbsolute(folder) && !facts.writeRoots.some((root) => isWithin(folder, root)))
    .map((folder) => path.join(folder, 'rg'))
    .find((file) => mayAccess(file, constants.X_OK));
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** The worker runs inside, so its replies are untrusted: an answer to no request is dropped, and so is one that is too long. */
function readReplies(output: Readable, waiting: Map<number, Waiting>): void {
  const nothing = (): void => undefined;
  const onLine = (line: Buffer): void => settleReply(line.toString(), waiting);
  readLines(output, {onLine, onTooLong: nothing, onEnd: nothing}, replyBytes);
}

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: {readonly code: string; readonly message: string};
}

function settleReply(line: string, waiting: Map<number, Waiting>): void {
  const reply = attempt(() => JSON.parse(line) as Reply);
  if (!reply) return;
  const {id, result, error} = reply;
  const one = waiting.get(id);
  waiting.delete(id);
  if (error) one?.reject(new WorkerError(error.code, error.message));
  else one?.resolve(result);
}
