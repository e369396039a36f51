import {spawn, type ChildProcess} from 'node:child_process';
import {closeSync} from 'node:fs';
import type {Socket} from 'node:net';
import {IonError, quoted} from '../../errors.ts';
import type {Launch, Outcome, RunEvent, Running, Violation} from '../backend.ts';
import {killOrphans} from './orphans.ts';
import type {Native} from './native.ts';

const optionsVersion = '1';
const graceMs = 5000;
/** The kernel's MAX_ARG_STRLEN: no single argument may be longer, its end included. */
export const maxArgumentBytes = 131_072;

/** What the launcher is told, as it reads it: see native/launcher/options.h. */
export function launcherOptions(launch: Launch, landlock: boolean, openFilesSoft: number): Buffer {
  const {limits, world, watch} = launch;
  const {mounts} = world;
  const numbers: [string, number | undefined][] = [
    ['open_files', limits.openFiles],
    ['open_files_soft', openFilesSoft || undefined],
    ['file_size', limits.fileSizeBytes],
    ['cpu_seconds', limits.cpuSeconds],
    ['memory', limits.memoryBytes],
    ['processes', limits.processes],
    ['timeout_ms', limits.timeoutMs],
    ['grace_ms', graceMs],
  ];
  const entries = [
    `version=${optionsVersion}`,
    `confine=${launch.confined ? 1 : 0}`,
    `landlock=${landlock ? 1 : 0}`,
    `seccomp=${launch.confined && launch.seccomp ? 1 : 0}`,
    `listener=${watch ? 1 : 0}`,
    `scoped=${launch.scoped ? 1 : 0}`,
    `tell_execs=${watch?.tellExecs ? 1 : 0}`,
    `report=${watch?.report ?? 'minimal'}`,
    `user_namespace=${world.namespaces === 'user' ? 1 : 0}`,
    `mounts=${world.namespaces === 'none' ? 0 : 1}`,
    `network_namespace=${world.networkNamespace ? 1 : 0}`,
    `loopback=${world.loopback ? 1 : 0}`,
    `network=${launch.network}`,
    `cwd=${launch.cwd}`,
    ...mounts.writable.map((path) => `writable=${path}`),
    ...mounts.pinned.map((path) => `pinned=${path}`),
    ...mounts.readonly.map((path) => `readonly=${path}`),
    ...mounts.masked.map((path) => `masked=${path}`),
    ...(watch?.absent ?? []).map((path) => `absent=${path}`),
    ...(watch?.devices ?? []).map((path) => `device=${path}`),
    ...(watch?.deny ?? []).map((pattern) => `deny=${pattern}`),
    ...(watch?.deniedPrograms ?? []).map((path) => `denied_program=${path}`),
    ...(watch?.globalValues ?? []).map((option) => `global_value=${option}`),
    ...(watch?.readable ?? []).map((path) => `readable=${path}`),
    ...(watch?.unixSockets ?? []).map((path) => `unix_socket=${path}`),
    ...numbers.flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`])),
    ...launch.argv.map((argument) => `arg=${argument}`),
    'end=1',
  ];
  return Buffer.from(entries.map((entry) => `${entry}\0`).join(''));
}

/** Start the launcher on a launch, with the ruleset descriptor (which stays the caller's), or -1 for none. */
export function startLauncher(native: Native, launch: Launch, ruleset: number): Running {
  const options = native.addon.memoryFile(
    launcherOptions(launch, ruleset !== -1, native.addon.parentOpenFiles()),
  );
  let child: ChildProcess;
  try {
    child = spawn(native.launcher, [], {
      argv0: 'ion-launcher',
      cwd: launch.cwd,
      env: launch.environment,
      stdio: [...launch.stdio, options, 'pipe', ruleset === -1 ? 'ignore' : ruleset],
    });
  } finally {
    closeSync(options);
  }
  return {
    stdio: [child.stdin, child.stdout, child.stderr],
    signal: (name) => void child.kill(name),
    outcome: collect(child, launch.onEvent),
  };
}

/** The lines of the control channel that end it; see native/launcher/report.h. */
interface Last {
  readonly event: 'failed' | 'finished';
  readonly step: string;
  readonly error: string;
  readonly detail: string;
  readonly because: Outcome['because'];
  readonly code: number;
  readonly signal: number;
  readonly asked: number;
  readonly left: number;
  readonly userUs: number;
  readonly systemUs: number;
  readonly maxRssKb: number;
}

interface Line extends Omit<Last, 'event'> {
  readonly event: string;
  readonly kind: Violation['operation'];
  readonly call: string;
  readonly rule: Violation['rule'];
  readonly limit: string;
  readonly value: number;
  readonly pid: number;
  readonly program: string;
  readonly target: string;
  readonly number: number;
  readonly count: number;
  readonly command: string;
}

/** Lines on the way. An event that is not known here is none of ours to tell. */
const told: Record<string, (line: Line) => RunEvent> = {
  limit: ({limit, value}) => ({kind: 'limit', limit, value}),
  violation: ({number, kind, call, rule, pid, program, target, detail}) => ({
    kind: 'violation',
    operation: kind,
    syscall: call,
    number,
    rule,
    pid,
    program,
    target,
    detail,
  }),
  violations: ({number, count}) => ({kind: 'count', number, count}),
  untold: ({count}) => ({kind: 'untold', count}),
  exec: ({pid, command}) => ({kind: 'exec', pid, command}),
};

function collect(child: ChildProcess, onEvent: Launch['onEvent']): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const control = child.stdio[4] as Socket;
    let text = '';
    let last: Last | undefined;
    control.setEncoding('utf8');
    control.on('data', (chunk: string) => {
      const lines = (text + chunk).split('\n');
      text = lines.pop() ?? '';
      for (const raw of lines) {
        const line = JSON.parse(raw) as Line;
        const event = told[line.event]?.(line);
        if (event) onEvent?.(event);
        else if (line.event === 'finished' || line.event === 'failed') last = line as Last;
      }
    });
    // A reset is the launcher's death: the end below says so.
    control.on('error', () => control.destroy());
    child.once('error', (error) =>
      reject(new IonError(`cannot start the launcher: ${error.message}`, {cause: error})),
    );
    // Not 'close': with stdio of the caller's own that waits for everybody who holds the other end.
    const both = new Promise<void>((done) => control.once('close', () => done()));
    child.once('exit', (_code, signal) => {
      void both.then(() => {
        if (last?.event === 'finished') return resolve(outcomeOf(last));
        if (last?.event === 'failed') return reject(setUpFailure(last));
        const killed = killOrphans();
        reject(
          new IonError(
            `the launcher ended without a report${signal ? ` (${signal})` : ''}; ${killed} processes of the run were killed`,
          ),
        );
      });
    });
  });
}

function outcomeOf(line: Last): Outcome {
  return {
    code: line.signal === 0 ? line.code : undefined,
    signal: line.signal === 0 ? undefined : line.signal,
    because: line.because,
    asked: line.asked,
    left: line.left,
    usage: {userUs: line.userUs, systemUs: line.systemUs, maxRssKb: line.maxRssKb},
  };
}

const advice: Record<string, string> = {
  landlock_restrict_self: 'at most 16 Landlock layers can be stacked: are you inside many sandboxes already?',
  capabilities: 'ion runs as root without CAP_SETPCAP and cannot give up what it has',
};

function setUpFailure(line: Last): IonError {
  if (line.step === 'exec') {
    return new IonError(`cannot execute ${quoted(line.detail)}: ${line.error}`, {
      help: 'the command and the environment together may be too long, or bash is not readable inside the sandbox',
    });
  }
  return new IonError(
    `cannot set up the sandbox: ${line.step}: ${line.error}${line.detail && line.step === 'parse options' ? ` (${quoted(line.detail)})` : ''}`,
    {
      help: advice[line.step] ?? '"ion doctor" shows what this machine enforces',
    },
  );
}
