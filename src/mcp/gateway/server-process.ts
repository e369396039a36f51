import type {Readable, Writable} from 'node:stream';
import {openRun} from '../../library/one-run.ts';
import {openStreams} from '../../library/streams.ts';
import type {Denial} from '../../library/types.ts';
import type {AuditLog} from '../../audit/log.ts';
import type {Session} from '../../session/session.ts';
import {adviceTo} from '../../session/report/audience.ts';

/** A server that runs in the sandbox. */
export interface ServerProcess {
  readonly input: Writable;
  readonly output: Readable;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Resolves when its whole tree has ended, to a description of how. Never rejects. */
  readonly ended: Promise<string>;
}

interface ServerInput {
  readonly session: Session;
  /** In bash's language. */
  readonly command: string;
  readonly log: AuditLog | undefined;
  readonly isFirst: boolean;
  readonly onDenial: (denial: Denial) => void;
}

/** Decides and starts. Throws if the command is denied, or if its boundary cannot be set up. */
export async function startServer({
  session,
  command,
  log,
  isFirst,
  onDenial,
}: ServerInput): Promise<ServerProcess> {
  const streams = openStreams(['pipe', 'pipe', 'inherit'], session.machine.native?.addon);
  const run = openRun({
    session,
    command,
    cwd: session.host.cwd,
    stdio: streams.theirs,
    timeoutMs: session.config.settings.limits.timeoutMs?.value,
    killSignal: 'SIGTERM',
    log,
    stream(line) {
      const event = JSON.parse(line()) as {readonly type: string} & Denial;
      if (event.type !== 'sandbox.violation') return;
      const {violation_id: id, would_allow: help} = event;
      onDenial({...event, would_allow: adviceTo('program', help ?? undefined, id) ?? null});
    },
    isFirst,
    withNetwork: () => Promise.resolve(session),
  });
  try {
    const started = await run.start(() => false);
    streams.release(started?.running);
    const {running, ended} = started!;
    const [input, output] = streams.ours;
    input!.on('error', () => undefined);
    output!.on('error', () => undefined);
    return {
      input: input!,
      output: output!,
      kill: (signal) => running.signal(signal),
      ended: ended.then(
        ({outcome: {code, signal}}) => (signal === undefined ? `exit ${code}` : `signal ${signal}`),
        (error: unknown) => (error as Error).message,
      ),
    };
  } catch (error) {
    streams.release();
    for (const stream of streams.ours) stream?.destroy();
    throw error;
  }
}
