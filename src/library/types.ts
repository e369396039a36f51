// The types of `import {open} from 'ion-sandbox'`. `npm run readme` makes lib/index.d.cts from this file, and a test compares the
// two: a change of the public types is a change of a file that users get.
import type {EventEmitter} from 'node:events';
import type {Readable, Stream, Writable} from 'node:stream';

/** How a session is opened. Everything has a default: `open()` resolves as `ion run` in this folder does. */
export interface OpenOptions {
  /** The folder whose config and workspace count. Default: `process.cwd()`. */
  readonly cwd?: string;
  /** The variables of which commands get those that the config lets through. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Read mode, as `ion run --read`. */
  readonly read?: boolean;
  /** For one command, in milliseconds, as `ion run --timeout`. */
  readonly timeout?: number;
  /**
   * Settings that stand where `--set` stands: the config's own tables and keys. A list takes the place of the lists below it;
   * a key that ends with `+` adds to them: `{sandbox: {'write_roots+': ['/srv/data']}}`.
   */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** With false, only `settings` and `/etc/ion/config.toml` count: no file of the user or of a project. */
  readonly layers?: boolean;
  /** Answers the questions that the config asks. Without it each of them is a denial. */
  readonly onAsk?: (question: Question) => Answer | Promise<Answer>;
  /** Problems that stop nothing, in a line or two. Default: `process.emitWarning`. */
  readonly onWarning?: (message: string) => void;
  /** Report refused reads too, as `ion run --explain`. */
  readonly explain?: boolean;
  /** Who reads the advice: a program, which is told to ask the user (the default), or a person, who is told the setting. */
  readonly audience?: 'program' | 'person';
}

/** What `onAsk` may answer; anything else is "no". The longer ones only where the question offers them. */
export type Answer = 'once' | 'session' | 'workspace' | 'user' | 'no';

/** A decision that the config leaves to a person. */
export interface Question {
  /** As in the events `permission.requested` and `permission.resolved`. */
  readonly id: string;
  readonly command: string;
  /** Why it is asked, in a line. */
  readonly message: string;
  /** The boundary that the command would have, in a line. */
  readonly sandbox: string;
  /** What of the command loses work, each in a line. */
  readonly destructive: readonly string[];
  readonly answers: readonly Answer[];
  /** Without an answer by then it is denied. */
  readonly expiresAt: Date;
  /** Aborted when the question is over: without an answer in time, or because the session was closed. */
  readonly signal: AbortSignal;
}

/** A resolved policy, and the machine's boundary for it. What was read when it was opened holds until it is closed. */
export interface Session extends AsyncDisposable {
  /** Canonical. */
  readonly cwd: string;
  readonly facts: Facts;
  /**
   * Decide, and start: the whole command in bash's language, or a program and its arguments, of which nothing is read as bash.
   * Returns at once. A refused command emits `error`, or rejects, with a `DeniedError`.
   */
  spawn(command: string | readonly string[], options?: SpawnOptions): Child;
  /** As `child_process.spawn`: a program and its arguments. */
  spawn(program: string, args: readonly string[], options?: SpawnOptions): Child;
  /** What `ion check --json` prints: nothing runs, and nobody is asked. */
  check(command: string | readonly string[]): Promise<Check>;
  /** The events of this session from now on, as `ion run --events` writes them. It ends when the session is closed. */
  events(): Events;
  /** Kill what still runs, and release every descriptor and process. */
  close(): Promise<void>;
}

/** At most 10,000 events wait for a slow reader; later ones are counted, and lost for it. The audit log has them all. */
export interface Events extends AsyncIterableIterator<Event> {
  readonly dropped: number;
}

/** One event; its fields are those of src/audit/events.schema.json. */
export type Event = Readonly<Record<string, unknown>> & {readonly type: string; readonly run_id: string};

export type StdioForm = 'pipe' | 'overlapped' | 'ignore' | 'inherit' | number | Stream | null | undefined;

export interface SpawnOptions {
  /** A folder that the session may read, relative to the session's. It moves no root. Default: the session's. */
  readonly cwd?: string;
  /** In the place of the session's variables; the config takes out of them what it takes out of those. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: 'pipe' for all three. No more than three. */
  readonly stdio?: 'pipe' | 'overlapped' | 'ignore' | 'inherit' | readonly StdioForm[];
  /** Milliseconds; the shorter of this and the session's counts. */
  readonly timeout?: number;
  /** What `timeout`, `signal` and `kill()` send. Default: SIGTERM. */
  readonly killSignal?: NodeJS.Signals | number;
  readonly signal?: AbortSignal;
  /** Written to the command's stdin, which ends behind it. */
  readonly input?: string | Uint8Array;
  /** Of the strings of the result. With 'buffer' they are buffers. Default: 'utf8'. */
  readonly encoding?: BufferEncoding | 'buffer' | null;
  /** Bytes of stdout, and of stderr, that the result may have; beyond them the command is killed. Default: 100,000,000. */
  readonly maxBuffer?: number;
  /** With false the promise resolves too when the command fails. A refused command rejects all the same. */
  readonly reject?: boolean;
  /** With true, `spawn(command, args)` joins them with blanks, as Node does. A command without `args` is bash's language anyway. */
  readonly shell?: boolean | string;
}

/**
 * A started command, with the shape of `child_process.ChildProcess`; awaited, that of execa's promise. Nothing is collected
 * for the promise before it is awaited.
 */
export interface Child extends EventEmitter, PromiseLike<Result> {
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  readonly stdio: readonly [Writable | null, Readable | null, Readable | null];
  /** Of the process that supervises the command; undefined until the command is decided on. */
  readonly pid: number | undefined;
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
  readonly killed: boolean;
  readonly connected: false;
  readonly spawnfile: string;
  readonly spawnargs: readonly string[];
  /** The command's whole tree with SIGKILL; another signal goes to the command, which has five seconds after SIGTERM. */
  kill(signal?: NodeJS.Signals | number): boolean;
  /** Of no effect: this process lives as long as its command. */
  ref(): void;
  unref(): void;
  catch<T = never>(onRejected?: ((error: CommandError) => T | PromiseLike<T>) | null): Promise<Result | T>;
  finally(onFinally?: (() => void) | null): Promise<Result>;
}

/** How a command ended. */
export interface Result {
  readonly command: string;
  /** Text, or with `encoding: 'buffer'` a buffer; of a stream that is no pipe undefined. */
  readonly stdout: string | Buffer | undefined;
  readonly stderr: string | Buffer | undefined;
  /** Undefined where a signal ended it. */
  readonly exitCode: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  readonly failed: boolean;
  readonly timedOut: boolean;
  readonly isCanceled: boolean;
  readonly isMaxBuffer: boolean;
  /** Milliseconds. */
  readonly durationMs: number;
  /** What the boundary refused, limits that were met, and changes that were undone. */
  readonly denials: readonly Denial[];
  /** The boundary that the command had. */
  readonly facts: Facts;
  readonly decision: Decision;
  /** In the audit log and in events. */
  readonly runId: string;
}

/** A command that failed; its fields are those of the result. */
export interface CommandError extends Error, Omit<Result, 'facts' | 'decision'> {
  /** 'ERR_ION_FAILED', 'ERR_ION_DENIED', 'ABORT_ERR', 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER', or the set-up's. */
  readonly code: string;
  readonly facts: Facts | undefined;
  readonly decision: Decision | undefined;
  /** What would allow it, to paste. */
  readonly help?: string | undefined;
}

/** A record `sandbox.violation`, as `ion run --json` prints it in `violations`. */
export interface Denial {
  readonly violation_id: string;
  readonly operation: string;
  readonly path: string | null;
  readonly program: string | null;
  readonly pid: number | null;
  readonly protection: string;
  readonly count: number;
  readonly rule: string | null;
  /** What would allow it, for the session's audience; null where nothing does. */
  readonly would_allow: string | null;
  readonly [field: string]: unknown;
}

/** The decision, as `ion check --json` prints it. */
export interface Decision {
  readonly decision: 'allow' | 'deny' | 'ask' | 'unavailable';
  readonly decision_source: string;
  readonly decision_reason: string;
  readonly hard: boolean;
  readonly message: string;
  readonly help: string | null;
  readonly [field: string]: unknown;
}

export interface Check extends Decision {
  readonly will_refuse: readonly string[];
  readonly chain: readonly Readonly<Record<string, unknown>>[];
}

/** The boundary as this machine enforces it: `sandbox_profile` of the event `sandbox.applied`. */
export interface Facts {
  readonly mode: 'read' | 'write';
  readonly backend: string;
  /** With false the operating system enforces no part of it. */
  readonly enforced: boolean;
  readonly cwd: string;
  readonly read_roots: readonly string[];
  readonly write_roots: readonly string[];
  readonly network: string;
  /** Protections that are not enforced here. */
  readonly downgrades: readonly string[];
  readonly [field: string]: unknown;
}

/** Open a session. Rejects with an error that names file and line where the config cannot be read, or the boundary not be had. */
export type Open = (options?: OpenOptions) => Promise<Session>;
