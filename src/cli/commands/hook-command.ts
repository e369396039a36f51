import {readSync} from 'node:fs';
import {isatty} from 'node:tty';
import type {HookEvent} from '../../config/settings.ts';
import {IonError, quoted} from '../../errors.ts';
import {openAuditLog} from '../../session/open-audit-log.ts';
import {openRecorder} from '../../session/recorder.ts';
import {openSession, type Host} from '../../session/session.ts';
import {say} from '../output.ts';
import {Interrupted, openSignals} from '../signals.ts';
import {stateBoundary} from '../state.ts';
import {printed, type CliResult} from '../result.ts';

/** Events of an agent between its commands. Their hooks decide nothing. */
const events: readonly HookEvent[] = ['SessionStart', 'Stop', 'PreCompact'];

const maxInputBytes = 1024 * 1024;

/**
 * `ion hook <event>`: an agent reports that its session starts, stops or is compacted. The hooks of the config get
 * what is on stdin, which may be the whole input of a Claude Code hook. They run in the sandbox and cannot refuse
 * anything.
 */
export async function hookCommand(name: string, host: Host): Promise<CliResult> {
  const event = events.find((one) => one === name);
  if (!event) {
    throw new IonError(`"ion hook" does not run hooks for ${quoted(name)}`, {
      help: `one of: ${events.join(', ')}`,
    });
  }
  const extra = input(isatty(0) ? '' : readInput(), event);
  const session = await openSession(host, {for: 'hooks'});
  const recorder = openRecorder(await openAuditLog(session, (text) => say({text})), undefined);
  await stateBoundary(session, recorder);
  const signals = openSignals(() => session.ending.end());
  try {
    await signals.orEnd(() => session.notify(event, recorder.emit, {extra}));
    return printed('');
  } catch (error) {
    if (error instanceof Interrupted) return printed('', 128 + error.number);
    throw error;
  } finally {
    recorder.flush();
    signals.close();
    session.close();
  }
}

function input(text: string, event: HookEvent): Record<string, unknown> {
  if (text.trim() === '') return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new IonError('stdin is not a JSON object', {
      help: `for example {"trigger":"auto"}, or empty: ion hook ${event} < /dev/null`,
    });
  }
  const {hook_event_name: named = event, ...others} = parsed as Record<string, unknown>;
  if (named === event) return others;
  throw new IonError(`stdin names the event ${quoted(String(named))}, not ${quoted(event)}`);
}

function readInput(): string {
  const buffer = Buffer.alloc(maxInputBytes + 1);
  let length = 0;
  for (let count = 1; count > 0 && length < buffer.length; length += count) count = readSome(buffer, length);
  if (length > maxInputBytes) throw new IonError(`stdin has more than ${maxInputBytes} bytes`);
  return buffer.toString('utf8', 0, length);
}

/**
 * Reads until data comes or stdin ends. Another process may have made the pipe non-blocking, so EAGAIN is retried.
 */
function readSome(buffer: Buffer, at: number): number {
  for (;;) {
    try {
      return readSync(0, buffer, at, buffer.length - at, null);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
