import {constants} from 'node:os';
import type {Readable, Writable} from 'node:stream';
import type {EndedRun, StartedRun} from '../../library/one-run.ts';
import {openStreams} from '../../library/streams.ts';
import {exitCode} from '../../session/run-record.ts';
import {collectOutput, type Output} from './kept-output.ts';
import type {RunRequest, Serving} from './serving.ts';
import {
  briefFacts,
  denialLine,
  denialRecord,
  refusedResult,
  unexpected,
  type Content,
  type ToolResult,
} from './tool-result.ts';
import type {Call} from './tool-table.ts';

export interface CommandInput {
  readonly command: string;
  readonly cwd?: string;
  readonly keep_cwd?: boolean;
  readonly timeout_seconds?: number;
}

/** Runs one command to its end. A cancelled call ends the whole tree of processes. */
export function runCommand(
  serving: Serving,
  input: CommandInput & {readonly read: boolean},
  call: Call,
): Promise<ToolResult> {
  return serving.slots.run(call.signal, () => runNow(serving, input, call));
}

async function runNow(
  serving: Serving,
  {
    command,
    cwd,
    keep_cwd: keepCwd = false,
    timeout_seconds: seconds,
    read,
  }: CommandInput & {readonly read: boolean},
  call: Call,
): Promise<ToolResult> {
  const started = Date.now();
  const request = {
    command,
    cwd,
    keepCwd,
    read,
    timeoutMs: seconds === undefined ? undefined : seconds * 1000,
  };
  const progress = openProgress(call);
  try {
    const run = await startRun(serving, request, 'ignore', call.signal);
    const [out, err] = run.streams.map((stream) => collectOutput(stream, progress)) as [Output, Output];
    const ended = await run.ended;
    await run.drained();
    return commandResult(serving, {runId: run.runId, ended, out, err, durationMs: Date.now() - started});
  } catch (error) {
    call.signal.throwIfAborted();
    return refusedResult(error, (error as {denialId?: string}).denialId);
  }
}

/** A command that runs, with its streams. */
export interface StartedCommand {
  readonly runId: string;
  readonly stdin: Writable | null;
  readonly streams: readonly [Readable, Readable];
  readonly running: StartedRun['running'];
  readonly ended: Promise<EndedRun>;
  /** Resolves when both streams were read to their end. */
  drained(): Promise<void>;
}

/** Decides and starts. `signal` ends the command with SIGTERM, and with SIGKILL if it goes on for five seconds. */
export async function startRun(
  serving: Serving,
  request: Omit<RunRequest, 'stdio'>,
  stdin: 'pipe' | 'ignore',
  signal?: AbortSignal,
): Promise<StartedCommand> {
  const streams = openStreams([stdin, 'pipe', 'pipe'], serving.session.machine.native?.addon);
  try {
    const run = await serving.prepare({...request, stdio: streams.theirs});
    const started = await run.start(() => signal?.aborted ?? false);
    streams.release(started?.running);
    if (!started) throw signal!.reason;
    const stop = (): void => started.running.signal('SIGTERM');
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, {once: true});
    const release = serving.track(started.running, started.ended);
    void started.ended
      .catch(() => undefined)
      .finally(() => {
        signal?.removeEventListener('abort', stop);
        release();
      });
    const [input, out, err] = streams.ours;
    input?.on('error', () => undefined);
    return {
      runId: run.runId,
      stdin: input,
      streams: [out!, err!],
      running: started.running,
      ended: started.ended,
      drained: () => bothClosed(out!, err!),
    };
  } catch (error) {
    streams.release();
    for (const stream of streams.ours) stream?.destroy();
    throw error;
  }
}

/** The command has ended, so its streams end too. */
async function bothClosed(...streams: readonly Readable[]): Promise<void> {
  await Promise.all(
    streams.map(
      (stream) =>
        new Promise<void>((resolve) => {
          if (stream.destroyed || stream.readableEnded) return resolve();
          stream
            .once('end', resolve)
            .once('close', resolve)
            .once('error', () => resolve());
        }),
    ),
  );
}

interface Ended {
  readonly runId: string;
  readonly ended: EndedRun;
  readonly out: Output;
  readonly err: Output;
  readonly durationMs: number;
}

function commandResult(serving: Serving, {runId, ended, out, err, durationMs}: Ended): ToolResult {
  const {outcome, denials: all = [], facts} = ended;
  serving.remember(all);
  const denials = unexpected(all);
  const code = exitCode(outcome);
  const links = [
    ...linkTo(serving, `ion://output/${runId}/stdout`, 'stdout', out),
    ...linkTo(serving, `ion://output/${runId}/stderr`, 'stderr', err),
  ];
  const closing = [
    ...(outcome.because === 'timeout'
      ? ['ion: timed out: killed the command and everything it started\n']
      : []),
    ...denials.slice(0, 10).map(denialLine),
    ...(code === 0 ? [] : [`exit ${code}\n`]),
  ];
  const shown = [out.shown(), err.shown(), closing.join('')].filter((part) => part !== '');
  return {
    content: [{type: 'text', text: shown.join('\n') || '(no output)'}, ...links],
    structuredContent: {
      exit_code: code,
      signal: signalName(outcome.signal),
      timed_out: outcome.because === 'timeout',
      stdout: out.shown(),
      stderr: err.shown(),
      stdout_bytes: out.bytes(),
      stderr_bytes: err.bytes(),
      truncated: out.isCut() || err.isCut(),
      duration_ms: durationMs,
      run_id: runId,
      denials: denials.map(denialRecord),
      sandbox: facts ? briefFacts(facts) : null,
    },
    ...(code === 0 ? {} : {isError: true as const}),
  };
}

function linkTo(serving: Serving, uri: string, name: string, output: Output): Content[] {
  if (!output.isCut()) return [];
  const kept = output.kept();
  serving.outputs.add(uri, kept);
  return [{type: 'resource_link', uri, name, mimeType: 'text/plain', size: kept.length}];
}

export function signalName(number: number | undefined): string | null {
  if (number === undefined) return null;
  return Object.entries(constants.signals).find(([, one]) => one === number)?.[0] ?? String(number);
}

const progressEveryMs = 250;

/** Reports the last line of output, at most four times a second. */
function openProgress(call: Call): (chunk: Buffer) => void {
  let [bytes, last] = [0, 0];
  return (chunk) => {
    bytes += chunk.length;
    const now = Date.now();
    if (now - last < progressEveryMs) return;
    last = now;
    const lines = chunk.subarray(-2000).toString('utf8').trimEnd().split('\n');
    call.progress(bytes, lines.at(-1)!.slice(-200));
  };
}
