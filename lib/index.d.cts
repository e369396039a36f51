/// <reference types="node" />
// Made from src/library/types.ts by "npm run readme".
import type {EventEmitter} from 'node:events';
import type {Readable, Stream, Writable} from 'node:stream';

/** How a session is opened. Every option has a default: `open()` uses the config that `ion run` uses in this folder. */
export interface OpenOptions {
  /** The folder whose config and workspace the session uses. Default: `process.cwd()`. */
  readonly cwd?: string;
  /** The variables that commands start from. The config decides which of them commands get. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Read mode, as in `ion run --read`. */
  readonly read?: boolean;
  /** The time limit of each command in milliseconds, as in `ion run --timeout`. */
  readonly timeout?: number;
  /**
   * Settings with the rank of `--set`, in the config's tables and keys. A list replaces the lists of weaker layers. A key that
   * ends with `+` adds to them: `{sandbox: {'write_roots+': ['/srv/data']}}`.
   */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** With false, only `settings` and `/etc/ion/config.toml` count. The files of the user and of the project are not read. */
  readonly layers?: boolean;
  /** Answers the questions that the config asks. Without it every question is a denial. */
  readonly onAsk?: (question: Question) => Answer | Promise<Answer>;
  /** How many milliseconds a question waits for its answer. Default: two minutes, and one for a name of the network. */
  readonly askTimeout?: number;
  /** Receives problems that stop nothing, in a line or two. Default: `process.emitWarning`. */
  readonly onWarning?: (message: string) => void;
  /** Reports refused reads too, as `ion run --explain` does. */
  readonly explain?: boolean;
  /** The reader of the advice. A program gets "ask the user", a person gets the setting. Default: 'program'. */
  readonly audience?: 'program' | 'person';
}

/** The answers of `onAsk`. An answer that is not in the question's `answers` counts as "no". */
export type Answer = 'once' | 'session' | 'workspace' | 'user' | 'no';

/** A decision that the config leaves to a person. */
export interface Question {
  /** The id in the events `permission.requested` and `permission.resolved`. */
  readonly id: string;
  readonly command: string;
  /** The reason for the question, in one line. */
  readonly message: string;
  /** The boundary that the command would have, in one line. */
  readonly sandbox: string;
  /** The parts of the command that lose work, one line each. */
  readonly destructive: readonly string[];
  readonly answers: readonly Answer[];
  /** The command is denied if there is no answer by then. */
  readonly expiresAt: Date;
  /** Aborted when the question is over: it was answered, no answer came in time, or the session was closed. */
  readonly signal: AbortSignal;
}

/** A resolved policy, and the machine's boundary for it. A config file that changes later has no effect on an open session. */
export interface Session extends AsyncDisposable {
  /** The session's folder, canonical. */
  readonly cwd: string;
  readonly facts: Facts;
  /**
   * Decides on a command and starts it. A string is bash's language. A list is a program and its arguments: bash interprets no
   * word of it. Returns at once. A denied command emits `error`, or rejects, with a `DeniedError`.
   */
  spawn(command: string | readonly string[], options?: SpawnOptions): Child;
  /** As in `child_process.spawn`: a program and its arguments. */
  spawn(program: string, args: readonly string[], options?: SpawnOptions): Child;
  /** Resolves to what `ion check --json` prints. Runs nothing and asks no question. */
  check(command: string | readonly string[]): Promise<Check>;
  /** The session's events from now on, as `ion run --events` writes them. The iterator ends when the session is closed. */
  events(): Events;
  /** Kills every command that still runs, and releases every descriptor and process. */
  close(): Promise<void>;
}

/** At most 10,000 events wait for a slow reader. Later ones are dropped for it, and counted. The audit log has them all. */
export interface Events extends AsyncIterableIterator<Event> {
  readonly dropped: number;
}

/** One event, with the fields of src/audit/events.schema.json. */
export type Event = Readonly<Record<string, unknown>> & {readonly type: string; readonly run_id: string};

export type StdioForm = 'pipe' | 'overlapped' | 'ignore' | 'inherit' | number | Stream | null | undefined;

export interface SpawnOptions {
  /**
   * The folder in which the command starts. The session must be allowed to read it. A relative path starts at the session's
   * folder, which is also the default. The roots stay the same.
   */
  readonly cwd?: string;
  /** Replaces the session's variables. The config's rules for variables apply to them too. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The three standard streams. More are refused. Default: 'pipe' for all three. */
  readonly stdio?: 'pipe' | 'overlapped' | 'ignore' | 'inherit' | readonly StdioForm[];
  /** A time limit in milliseconds. If the session has one too, the shorter one counts. It sends `killSignal`. */
  readonly timeout?: number;
  /** The signal that is sent at `timeout`, at an abort of `signal`, and at output beyond `maxBuffer`. Default: SIGTERM. */
  readonly killSignal?: NodeJS.Signals | number;
  readonly signal?: AbortSignal;
  /** Written to the command's stdin, which is then closed. */
  readonly input?: string | Uint8Array;
  /** The encoding of the result's output. With 'buffer' the result has buffers instead of strings. Default: 'utf8'. */
  readonly encoding?: BufferEncoding | 'buffer' | null;
  /** The most bytes of stdout, and of stderr, in the result. A command that writes more is killed. Default: 100,000,000. */
  readonly maxBuffer?: number;
  /** With false the promise also resolves when the command fails. A denied command always rejects. */
  readonly reject?: boolean;
  /** With true, `spawn(command, args)` joins them with spaces, as Node does. A string without `args` is always bash's language. */
  readonly shell?: boolean | string;
}

/**
 * A started command, with the interface of `child_process.ChildProcess`. It is also a promise, with the result that execa's has.
 * Output is collected for the promise only after it is awaited, unless it has no other reader.
 */
export interface Child extends EventEmitter, PromiseLike<Result> {
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  readonly stdio: readonly [Writable | null, Readable | null, Readable | null];
  /** The pid of the process that supervises the command. Undefined until the command has started. */
  readonly pid: number | undefined;
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
  readonly killed: boolean;
  readonly connected: false;
  readonly spawnfile: string;
  readonly spawnargs: readonly string[];
  /**
   * Sends a signal to the command and to all processes that it has started. After SIGTERM or SIGHUP they have five seconds to
   * end, then they are killed.
   */
  kill(signal?: NodeJS.Signals | number): boolean;
  /** Has no effect: this process always stays alive as long as its command. */
  ref(): void;
  unref(): void;
  catch<T = never>(onRejected?: ((error: CommandError) => T | PromiseLike<T>) | null): Promise<Result | T>;
  finally(onFinally?: (() => void) | null): Promise<Result>;
}

/** How a command ended. */
export interface Result {
  readonly command: string;
  /** A string, or a buffer with `encoding: 'buffer'`. Undefined if the stream is not a pipe. */
  readonly stdout: string | Buffer | undefined;
  readonly stderr: string | Buffer | undefined;
  /** Undefined if a signal ended the command. */
  readonly exitCode: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  readonly failed: boolean;
  readonly timedOut: boolean;
  readonly isCanceled: boolean;
  readonly isMaxBuffer: boolean;
  /** The time from the call of `spawn` to the end of the command. */
  readonly durationMs: number;
  /** Accesses that the boundary refused, limits that were reached, and changes that were reverted. */
  readonly denials: readonly Denial[];
  /** The boundary that the command had. */
  readonly facts: Facts;
  readonly decision: Decision;
  /** The run's id in the audit log and in events. */
  readonly runId: string;
}

/** The error of a command that failed. It has the fields of the result. */
export interface CommandError extends Error, Omit<Result, 'facts' | 'decision'> {
  /** 'ERR_ION_FAILED', 'ERR_ION_DENIED', 'ERR_ION_SETUP', 'ABORT_ERR', 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER' or 'ENOENT'. */
  readonly code: string;
  readonly facts: Facts | undefined;
  readonly decision: Decision | undefined;
  /** What would allow it, ready to paste. */
  readonly help?: string | undefined;
}

/** A record `sandbox.violation`, as `ion run --json` prints it in `violations`. */
export interface Denial {
  readonly violation_id: string;
  readonly operation: string;
  readonly path: string | null;
  readonly program: string | null;
  readonly pid: number | null;
  /** Its number in the run's PID namespace, where there is one. */
  readonly pid_inside: number | null;
  readonly protection: string;
  readonly count: number;
  readonly rule: string | null;
  /** What would allow it, worded for the session's audience. Null if nothing does. */
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

/** The boundary that this machine enforces: `sandbox_profile` of the event `sandbox.applied`. */
export interface Facts {
  readonly mode: 'read' | 'write';
  readonly backend: string;
  /** False if the operating system enforces no part of the boundary. */
  readonly enforced: boolean;
  /** It is inside another run of ion, whose boundary and deny rules hold too. */
  readonly inside_run: boolean;
  readonly cwd: string;
  readonly read_roots: readonly string[];
  readonly write_roots: readonly string[];
  readonly network: string;
  /** Protections that this machine does not enforce. */
  readonly downgrades: readonly string[];
  readonly [field: string]: unknown;
}

/** Opens a session. Rejects if the config is wrong (the error names file and line), or if a required boundary is not available. */
export type Open = (options?: OpenOptions) => Promise<Session>;

export declare const open: Open;
