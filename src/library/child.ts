import {EventEmitter, once} from 'node:events';
import {constants} from 'node:os';
import type {Readable, Writable} from 'node:stream';
import {exitCodes} from '../errors.ts';
import type {Outcome, Running} from '../sandbox/launch.ts';
import {monotonicMs} from '../system/clock.ts';
import {commandError, failureOf, shownError} from './command-error.ts';
import type {EndedRun, OneRun, StartedRun} from './one-run.ts';
import {collectOutput, type Output} from './collect-output.ts';
import {passedOnSignal, signalName, type SpawnRequest} from './spawn-request.ts';
import type {Streams} from './streams.ts';
import type {Child, CommandError, Result} from './types.ts';

const defaultMaxBuffer = 100_000_000;

/** The inputs for the start of a child. */
export interface Beginning {
  readonly request: SpawnRequest;
  readonly streams: Streams;
  readonly words: readonly string[];
  /** Opens the run. Its resources stay open until `use` has ended. */
  readonly runIn: (use: (run: OneRun) => Promise<void>) => Promise<void>;
}

type Finished = {readonly result: Result} | {readonly error: Error};

/** A running command, with the interface of `child_process.ChildProcess`. */
export class SandboxedChild extends EventEmitter implements Child {
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  readonly stdio: Child['stdio'];
  readonly spawnfile: string;
  readonly spawnargs: readonly string[];
  readonly connected = false;
  pid: number | undefined;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  killed = false;

  readonly #beginning: Beginning;
  readonly #finished: Promise<Finished>;
  readonly #startedAt = monotonicMs();
  #running: Running | undefined;
  #gone: Running['gone'];
  /** The last signal that the program has sent. */
  #signal: NodeJS.Signals | undefined;
  #isOver = false;
  #isAwaited = false;
  #runId = '';
  #aborted: {readonly reason: unknown} | undefined;
  #isMaxBuffer = false;
  #outputs: readonly [Output | undefined, Output | undefined] | undefined;

  constructor(beginning: Beginning) {
    super();
    const {request, streams, words} = beginning;
    [this.stdin, this.stdout, this.stderr] = streams.ours;
    this.stdio = streams.ours;
    this.spawnfile = words[0] ?? '';
    this.spawnargs = words;
    this.#beginning = beginning;
    // Input that the command does not read is lost, as with Node. An error of the pipe does not end the command.
    if (request.options.input !== undefined) {
      this.stdin?.on('error', () => undefined);
      this.stdin?.end(request.options.input);
    }
    this.#finished = this.#carryOut();
  }

  kill(signal: NodeJS.Signals | number = 'SIGTERM'): boolean {
    if (signal === 0) return !this.#isOver;
    const name = passedOnSignal(signal);
    if (this.#isOver) return false;
    this.killed = true;
    this.#signal = name;
    this.#running?.signal(name);
    return true;
  }

  ref(): void {}

  unref(): void {}

  // oxlint-disable-next-line unicorn/no-thenable -- a child is also a promise of its result, as execa's is
  then<T = Result, E = never>(
    onFulfilled?: ((result: Result) => T | PromiseLike<T>) | null,
    onRejected?: ((error: CommandError) => E | PromiseLike<E>) | null,
  ): Promise<T | E> {
    return this.#result().then(onFulfilled, onRejected);
  }

  catch<E = never>(onRejected?: ((error: CommandError) => E | PromiseLike<E>) | null): Promise<Result | E> {
    return this.#result().catch(onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<Result> {
    return this.#result().finally(onFinally);
  }

  async #result(): Promise<Result> {
    this.#isAwaited = true;
    this.#collect();
    const finished = await this.#finished;
    if ('error' in finished) throw finished.error;
    const {result} = finished;
    const {reject = true} = this.#beginning.request.options;
    if (!result.failed || !reject) return result;
    throw failureOf(result, this.#aborted?.reason);
  }

  /**
   * Resolves after `close`, or after the error that kept the command from running, when no process of the command is left. It
   * never rejects.
   */
  get over(): Promise<unknown> {
    return this.#finished.then(() => this.#gone?.());
  }

  /** Collects the output for the result from now on. */
  #collect(): void {
    if (this.#outputs) return;
    const {maxBuffer = defaultMaxBuffer} = this.#beginning.request.options;
    const onMore = (): void => {
      if (!this.#isAwaited) return;
      this.#isMaxBuffer = true;
      if (!this.#isOver) this.kill(this.#beginning.request.killSignal);
    };
    const collected = [this.stdout, this.stderr].map(
      (stream) => stream && collectOutput(stream, maxBuffer, onMore),
    );
    this.#outputs = [collected[0] ?? undefined, collected[1] ?? undefined];
  }

  async #carryOut(): Promise<Finished> {
    const {streams, request} = this.#beginning;
    const {signal} = request.options;
    // The caller can add listeners before the first event.
    await Promise.resolve();
    const abort = (): void => {
      if (this.#isOver) return;
      this.#aborted = {reason: signal?.reason};
      this.kill(request.killSignal);
      this.#emitError(commandError('the command was aborted', 'ABORT_ERR', {}, signal?.reason));
    };
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, {once: true});
    try {
      let result: Result | undefined;
      await this.#beginning.runIn(async (run) => {
        this.#runId = run.runId;
        const started = await run.start(() => this.killed);
        streams.release(started?.running);
        result = started ? await this.#follow(started) : this.#neverRan();
      });
      await this.#close();
      return {result: this.#withOutput(result!)};
    } catch (error) {
      streams.release();
      this.#isOver = true;
      for (const stream of streams.ours) stream?.destroy();
      const shown = shownError(error, this.#beginning.words, this.#runId);
      // For a program that does not exist, Node's exit code is the negative errno.
      this.exitCode = shown.exitCode ?? ('errno' in shown ? Number(shown.errno) : exitCodes.failed);
      this.#emitError(shown);
      process.nextTick(() => this.emit('close', this.exitCode, null));
      return {error: shown};
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  async #follow({running, ended}: StartedRun): Promise<Result> {
    this.#running = running;
    this.#gone = running.gone;
    this.pid = running.pid;
    // The program has called `kill` while the command was being started.
    if (this.#signal) running.signal(this.#signal);
    this.emit('spawn');
    const run = await ended;
    return this.#exited(run.outcome, run);
  }

  #neverRan(): Result {
    return this.#exited({
      code: undefined,
      signal: constants.signals[this.#signal ?? 'SIGTERM'],
      because: 'signal',
      asked: 0,
      left: 0,
      usage: undefined,
    });
  }

  /** Returns the result without the output: that may still arrive. */
  #exited(outcome: Outcome, run?: EndedRun): Result {
    this.#isOver = true;
    this.#running = undefined;
    const signal = endingSignal(outcome);
    this.exitCode = signal === undefined ? (outcome.code ?? 1) : null;
    this.signalCode = signal ?? null;
    this.killed ||= outcome.because === 'timeout';
    this.stdin?.destroy();
    this.emit('exit', this.exitCode, this.signalCode);
    const failed = this.exitCode !== 0 || this.#aborted !== undefined || this.#isMaxBuffer;
    return {
      command: this.#beginning.words.join(' '),
      stdout: undefined,
      stderr: undefined,
      exitCode: this.exitCode ?? undefined,
      signal,
      failed,
      timedOut: outcome.because === 'timeout',
      isCanceled: this.#aborted !== undefined,
      isMaxBuffer: this.#isMaxBuffer,
      durationMs: monotonicMs() - this.#startedAt,
      denials: run?.denials ?? [],
      facts: run?.facts ?? ({} as Result['facts']),
      decision: run?.decision ?? ({} as Result['decision']),
      runId: this.#runId,
    };
  }

  /**
   * Emits `close` when every stream has been read to its end. Output that has no reader is collected for the promise, up to
   * `maxBuffer`.
   */
  async #close(): Promise<void> {
    const open = [this.stdout, this.stderr].filter((stream) => stream !== null && !stream.destroyed);
    const closed = Promise.all(open.map((stream) => once(stream!, 'close').catch(() => undefined)));
    await new Promise((resolve) => setImmediate(resolve));
    const untouched = open.every(
      (stream) => stream!.listenerCount('data') + stream!.listenerCount('readable') === 0,
    );
    if (untouched) this.#collect();
    for (const stream of open) if (stream!.listenerCount('readable') === 0) stream!.resume();
    await closed;
    this.emit('close', this.exitCode, this.signalCode);
  }

  #withOutput(result: Result): Result {
    const {encoding = 'utf8'} = this.#beginning.request.options;
    const [stdout, stderr] = (this.#outputs ?? []).map((output) => {
      const bytes = output?.bytes();
      return encoding === 'buffer' || encoding === null ? bytes : bytes?.toString(encoding);
    });
    const isMaxBuffer = this.#isMaxBuffer;
    return {...result, stdout, stderr, isMaxBuffer, failed: result.failed || isMaxBuffer};
  }

  /**
   * Emits `error`. Without a listener an awaited promise reports the error alone. With neither it becomes an uncaught exception,
   * as with Node.
   */
  #emitError(error: Error): void {
    process.nextTick(() => {
      if (!this.#isAwaited || this.listenerCount('error') > 0) this.emit('error', error);
    });
  }
}

function endingSignal({signal, because}: Outcome): NodeJS.Signals | undefined {
  if (because === 'ion-gone' || because === 'limit') return 'SIGKILL';
  return signal === undefined ? undefined : signalName(signal);
}
