import {randomRunId} from '../../system/run-id.ts';
import {exitCode} from '../../session/run-record.ts';
import {startRun, signalName, type CommandInput, type StartedCommand} from './run-tool.ts';
import type {Serving} from './serving.ts';
import {
  denialLine,
  denialRecord,
  failure,
  refusedResult,
  textResult,
  unexpected,
  type ToolResult,
} from './tool-result.ts';
import type {Call} from './tool-table.ts';

const runningAtMost = 8;
const endedKept = 32;
/** The output of a job that is kept until it is read. */
const keptBytes = 1024 * 1024;
const shownBytes = 48 * 1024;

interface Job {
  readonly command: StartedCommand;
  /** The output that was not read yet. */
  output: Buffer;
  /** Output that was dropped, because nobody read it in time. */
  dropped: number;
  ended:
    {readonly code: number; readonly signal: string | null; readonly denials: readonly object[]} | undefined;
  closing: string;
  /** Each is called when there is output, or the end. */
  readonly listeners: Set<() => void>;
}

/** Commands that outlive the call that started them, though not the connection. */
export interface Jobs {
  start(input: CommandInput & {readonly read?: boolean}): Promise<ToolResult>;
  output(input: {readonly job: string; readonly wait_seconds?: number}, call: Call): Promise<ToolResult>;
  input(input: {readonly job: string; readonly text?: string; readonly end?: boolean}): Promise<ToolResult>;
  stop(input: {
    readonly job: string;
    readonly signal?: 'SIGTERM' | 'SIGINT' | 'SIGKILL';
  }): Promise<ToolResult>;
}

export function openJobs(serving: Serving): Jobs {
  const jobs = new Map<string, Job>();
  let starting = 0;
  const running = (): number => starting + [...jobs.values()].filter(({ended}) => !ended).length;
  const use = async (
    id: string,
    work: (job: Job) => Promise<ToolResult> | ToolResult,
  ): Promise<ToolResult> => {
    const job = jobs.get(id);
    return job ? work(job) : failure('ion: there is no such job\n', {job: null, state: 'unknown'});
  };
  return {
    async start({command, cwd, timeout_seconds: seconds, read = false}) {
      if (running() >= runningAtMost)
        return failure(`ion: ${runningAtMost} jobs run already: stop one first\n`, {
          job: null,
          state: 'refused',
        });
      starting++;
      try {
        const timeoutMs = seconds === undefined ? undefined : seconds * 1000;
        const started = await startRun(serving, {command, cwd, read, timeoutMs}, 'pipe');
        const id = randomRunId().slice(0, 12);
        jobs.set(id, follow(serving, started));
        forget(jobs);
        return textResult(`started job ${id}`, {job: id, state: 'running', run_id: started.runId});
      } catch (error) {
        return refusedResult(error, (error as {denialId?: string}).denialId);
      } finally {
        starting--;
      }
    },
    output: ({job: id, wait_seconds: seconds = 0}, call) =>
      use(id, async (job) => {
        if (job.output.length === 0 && !job.ended && seconds > 0)
          await newsOf(job, seconds * 1000, call.signal);
        const text = job.output.subarray(0, shownBytes).toString('utf8');
        job.output = job.output.subarray(shownBytes);
        const {dropped, ended} = job;
        job.dropped = 0;
        const isLast = ended !== undefined && job.output.length === 0;
        const parts = [dropped > 0 ? `[ion: ${dropped} bytes were dropped]\n` : '', text];
        if (isLast) parts.push(job.closing);
        return textResult(parts.join('') || '(no new output)', {
          job: id,
          state: ended ? 'ended' : 'running',
          output: text,
          more: job.output.length > 0,
          dropped_bytes: dropped,
          exit_code: isLast ? ended.code : null,
          signal: isLast ? ended.signal : null,
          denials: isLast ? ended.denials : [],
        });
      }),
    input: ({job: id, text = '', end = false}) =>
      use(id, ({command: {stdin}, ended}) => {
        if (ended || !stdin?.writable)
          return failure('ion: the job reads no more input\n', {job: id, written: 0});
        if (stdin.writableLength > keptBytes)
          return failure('ion: the job does not read its input\n', {job: id, written: 0});
        stdin.write(text);
        if (end) stdin.end();
        return textResult(`wrote ${Buffer.byteLength(text)} bytes`, {
          job: id,
          written: Buffer.byteLength(text),
        });
      }),
    stop: ({job: id, signal = 'SIGTERM'}) =>
      use(id, async (job) => {
        if (!job.ended) {
          job.command.running.signal(signal);
          await newsOf(job, 7000, undefined, () => job.ended !== undefined);
        }
        const {ended} = job;
        return textResult(ended ? `the job has ended: exit ${ended.code}` : 'the job still runs', {
          job: id,
          state: ended ? 'ended' : 'running',
          exit_code: ended?.code ?? null,
          signal: ended?.signal ?? null,
        });
      }),
  };
}

function follow(serving: Serving, command: StartedCommand): Job {
  const job: Job = {
    command,
    output: Buffer.alloc(0),
    dropped: 0,
    ended: undefined,
    closing: '',
    listeners: new Set(),
  };
  const tell = (): void => job.listeners.forEach((listener) => listener());
  const onData = (chunk: Buffer): void => {
    const all = Buffer.concat([job.output, chunk]);
    job.dropped += Math.max(0, all.length - keptBytes);
    job.output = all.subarray(-keptBytes);
    tell();
  };
  for (const stream of command.streams) stream.on('data', onData).on('error', () => undefined);
  const finish = async (): Promise<void> => {
    try {
      const {outcome, denials: all = []} = await command.ended;
      await command.drained();
      serving.remember(all);
      const denials = unexpected(all);
      const code = exitCode(outcome);
      job.closing = `${denials.slice(0, 10).map(denialLine).join('')}exit ${code}\n`;
      job.ended = {code, signal: signalName(outcome.signal), denials: denials.map(denialRecord)};
    } catch (error) {
      job.closing = `ion: ${(error as Error).message}\n`;
      job.ended = {code: 125, signal: null, denials: []};
    }
    tell();
  };
  void finish();
  return job;
}

function newsOf(
  job: Job,
  atMostMs: number,
  signal?: AbortSignal,
  isEnough: () => boolean = () => true,
): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', over);
      job.listeners.delete(listen);
      resolve();
    };
    const timer = setTimeout(over, atMostMs);
    signal?.addEventListener('abort', over, {once: true});
    const listen = (): void => {
      if (isEnough()) over();
    };
    job.listeners.add(listen);
  });
}

function forget(jobs: Map<string, Job>): void {
  const ended = [...jobs].filter(([, job]) => job.ended);
  for (const [id] of ended.slice(0, -endedKept)) jobs.delete(id);
}
