import {spawn, type ChildProcess} from 'node:child_process';

/** The refusals of seatbelt, from the system's log. */
export interface Violation {
  readonly program: string;
  readonly pid: number;
  /** Seatbelt's name for the operation: `file-write-create`. */
  readonly operation: string;
  /** A path, an address, a service; empty when the log has none. */
  readonly object: string;
}

/** By its absolute path, like every program that ion starts outside the sandbox. */
const log = '/usr/bin/log';

/**
 * Parses one line of `log stream --style ndjson`. Undefined for a line that is not a refusal of this run: the header, which is
 * not JSON and repeats the tag; a line of another run; and text that a program of the run itself wrote into the log, because only
 * the kernel's sandbox counts. A path with a line break is not reported: it could contain a second refusal.
 */
export function parseViolation(line: string, tag: string): Violation | undefined {
  let event: {eventMessage?: unknown; senderImagePath?: unknown; processID?: unknown};
  try {
    event = JSON.parse(line) as typeof event;
  } catch {
    return undefined;
  }
  const {eventMessage, senderImagePath, processID} = event ?? {};
  if (typeof eventMessage !== 'string' || processID !== 0) return undefined;
  if (typeof senderImagePath !== 'string' || !senderImagePath.endsWith('/Sandbox')) return undefined;
  const found = /^Sandbox: ([^\n]*?)\((\d+)\) deny\(\d+\) ([\w*-]+)(?: ([^\n]*))?\n(.*)$/s.exec(eventMessage);
  if (!found || found[5]!.trim() !== `ion-${tag}`) return undefined;
  return {program: found[1]!, pid: Number(found[2]), operation: found[3]!, object: found[4] ?? ''};
}

const maxViolations = 256;
const deliveryMs = 300;

/** Reads refusals during a run. */
export interface ViolationLog {
  /** Ends the reader and returns the refusals; `late`: wait for messages that are still on their way. */
  finish(late: boolean): Promise<readonly Violation[]>;
}

/**
 * Follows the log for one run. Where the log is unreadable (inside another sandbox `log` refuses to start) no
 * violations are reported. Nothing else changes: the log is a report, not a boundary.
 */
export function followViolations(tag: string): ViolationLog {
  const found: Violation[] = [];
  const reader = spawn(log, ['stream', '--style', 'ndjson', '--predicate', predicate(tag)], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {PATH: '/usr/bin:/bin'},
  });
  // The program is missing, or not permitted: see above.
  reader.on('error', () => undefined);
  let text = '';
  reader.stdout.setEncoding('utf8');
  reader.stdout.on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      const violation = parseViolation(line, tag);
      if (violation && found.length < maxViolations) found.push(violation);
    }
  });
  return {finish: (late) => finished(reader, found, late)};
}

/** The tag is hex and the predicate is constant: it contains no text from outside. */
function predicate(tag: string): string {
  return `sender == "Sandbox" AND eventMessage CONTAINS "ion-${tag}"`;
}

async function finished(
  reader: ChildProcess,
  found: readonly Violation[],
  late: boolean,
): Promise<readonly Violation[]> {
  if (reader.exitCode === null && reader.pid !== undefined) {
    if (late) await new Promise((resolve) => setTimeout(resolve, deliveryMs));
    reader.kill('SIGKILL');
  }
  return found;
}
