import {settingForms} from '../../config/set-option.ts';
import type {LimitName} from '../../config/limits.ts';
import {IonError, quoted} from '../../errors.ts';
import {adviceFor} from '../../system/system-errors.ts';
import type {Connections, Launch, Outcome, Running} from '../launch.ts';
import type {RunEvent} from '../run-event.ts';
import type {Violation} from '../violation.ts';

/** The last lines of the control channel; see native/launcher/report/report.h. */
interface Last {
  readonly event: 'failed' | 'finished';
  readonly step: string;
  readonly error: string;
  readonly errno: number;
  readonly detail: string;
  readonly because: Outcome['because'];
  readonly code: number;
  readonly signal: number;
  readonly asked: number;
  readonly left: number;
  readonly userUs: number;
  readonly systemUs: number;
  readonly maxRssKb: number;
  /** Empty without a network table. */
  readonly connections: Connections | '';
}

interface Line extends Omit<Last, 'event'> {
  readonly event: string;
  readonly kind: Violation['operation'];
  readonly call: string;
  readonly rule: Violation['rule'];
  readonly limit: LimitName;
  readonly value: number;
  readonly pid: number;
  /** In the run's PID namespace; 0: none. */
  readonly inside: number;
  readonly program: string;
  readonly chain: readonly string[];
  readonly whole: boolean;
  readonly target: string;
  readonly number: number;
  readonly count: number;
  readonly failed: boolean;
  readonly words: readonly string[];
}

/** Lines during the run. An unknown event is not reported. */
const eventOf: Record<string, (line: Line) => RunEvent> = {
  limit: ({limit, value, pid, inside}) => ({kind: 'limit', limit, value, pid, ...pidInside(inside)}),
  violation: ({number, kind, call, rule, pid, inside, program, chain, whole, target, detail}) => ({
    kind: 'violation',
    operation: kind,
    syscall: call,
    number,
    rule,
    pid,
    ...pidInside(inside),
    program,
    target,
    detail,
    asked: {chain, whole},
  }),
  violations: ({number, count, failed}) => ({kind: 'count', number, count, failed}),
  stopped: ({signal}) => ({kind: 'stopped', signal}),
  unreported: ({count}) => ({kind: 'unreported', count}),
  question: ({number, target, pid, inside, program}) => ({
    kind: 'question',
    number,
    name: target,
    pid,
    ...pidInside(inside),
    program,
  }),
  answered: ({number, value}) => ({kind: 'answered', number, counts: value === 1}),
  held: () => ({kind: 'held'}),
  reached: ({target, value}) => ({kind: 'reached', name: target, port: value}),
  exec: ({pid, inside, words}) => ({kind: 'exec', pid, ...pidInside(inside), words}),
  watched: ({target}) => ({kind: 'touched', path: target}),
  touched: ({target}) => ({kind: 'touched', path: target}),
  'more-touched': ({target}) => ({kind: 'more-touched', path: target}),
};

/** The bytes with which ion answers questions, as the launcher reads them (native/launcher/report/report.h). */
export function answersBy(say: (bytes: Buffer) => void): Required<Pick<Running, 'answer' | 'holdAgain'>> {
  return {
    answer: (number, allowed) => say(Buffer.from([0x30 + 2 * number + (allowed ? 1 : 0)])),
    // The launcher answers with the event `held`.
    holdAgain: () => say(Buffer.from('h')),
  };
}

function pidInside(inside: number): {readonly pidInside?: number} {
  return inside === 0 ? {} : {pidInside: inside};
}

/** Parses the control channel piece by piece and reports events as they arrive. `end` returns how the run ended. */
export interface Control {
  take(text: string): void;
  /** How the run ended; an IonError when the set-up failed; undefined when the launcher did not report it. */
  end(): Outcome | IonError | undefined;
}

export function openControl({onEvent, onStarted}: Pick<Launch, 'onEvent' | 'onStarted'>): Control {
  let rest = '';
  let last: Last | undefined;
  return {
    take(text) {
      const whole = (rest + text).split('\n');
      rest = whole.pop() ?? '';
      for (const raw of whole) {
        const line = JSON.parse(raw) as Line;
        const event = eventOf[line.event]?.(line);
        if (event) onEvent?.(event);
        else if (line.event === 'started') onStarted?.();
        else if (line.event === 'finished' || line.event === 'failed') last = line as Last;
      }
    },
    end() {
      if (!last) return undefined;
      return last.event === 'finished' ? outcomeOf(last) : setUpFailure(last);
    },
  };
}

function outcomeOf(line: Last): Outcome {
  return {
    code: line.signal === 0 ? line.code : undefined,
    signal: line.signal === 0 ? undefined : line.signal,
    because: line.because,
    asked: line.asked,
    left: line.left,
    usage: {userUs: line.userUs, systemUs: line.systemUs, maxRssKb: line.maxRssKb},
    ...(line.connections === '' ? {} : {connections: line.connections}),
  };
}

const advice: Record<string, string> = {
  landlock_restrict_self:
    'at most 16 Landlock rulesets can be stacked: ion may already be inside many sandboxes',
  cgroup:
    'the cgroup of the run could not be created; without sandbox.limits.memory, processes and cpu none is needed',
  'search for listeners':
    'network = "loopback" without namespaces needs the kernel module tcp_diag: load it, or use "none" or "full"',
  'given file':
    'standard input is a file that has no path in the run: hand it over through a pipe (cat FILE | ion run ...)',
  capabilities: 'ion runs as root without CAP_SETPCAP, so it cannot drop its capabilities',
};

function setUpFailure(line: Last): IonError {
  if (line.step === 'exec') {
    return new IonError(`cannot execute ${quoted(line.detail)}: ${line.error}`, {
      help: 'the command and the environment together may be too long, or bash is not readable inside the sandbox',
    });
  }
  if (line.step === 'standard streams' && line.detail) {
    return new IonError(
      `cannot hand over ${line.detail}: a socket that is not connected could reach any address`,
      {
        help: `hand over a connected socket, a pipe or a file; or ${settingForms('sandbox.network', 'full')}`,
      },
    );
  }
  if (line.step === 'appended file' && line.detail) {
    return new IonError(
      `cannot hand over ${line.detail}: the inode number of its file changes at each look, so the command could overwrite what is in it`,
      {help: 'hand over a pipe: ion run ... | cat >> FILE'},
    );
  }
  return new IonError(
    `cannot set up the sandbox: ${line.step}: ${line.error}${line.detail && line.step === 'parse options' ? ` (${quoted(line.detail)})` : ''}`,
    {
      help: advice[line.step] ?? adviceFor(line) ?? '"ion doctor" shows what this machine enforces',
    },
  );
}
