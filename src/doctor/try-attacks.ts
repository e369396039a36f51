import {closeSync, openSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import path from 'node:path';
import {isIonError} from '../errors.ts';
import type {Stdio} from '../sandbox/launch.ts';
import type {RunEvent} from '../sandbox/run-event.ts';
import type {Enforcement} from '../sandbox/matrix/ways.ts';
import type {ProtectionId} from '../sandbox/matrix/matrix.ts';
import type {Session} from '../session/session.ts';
import type {Attack, Given} from './attack.ts';
import {randomRunId} from '../system/run-id.ts';
import {giveStreams} from './given-streams.ts';
import {actWhenAsked} from './meanwhile.ts';
import {runAmongServers} from './named-servers.ts';
import {attacks} from './self-test.ts';

/** The result of attacking a protection. */
export type Tried = 'held' | 'failed' | 'not tried';

export interface Finding {
  readonly tried: Tried;
  /** Why it was not tried. Null when it was. */
  readonly why: string | null;
}

export interface Bench {
  readonly session: Session;
  /** Opens a session in another folder of the scratch, or with another config. */
  readonly openIn: (folder?: string, config?: string) => Promise<Session>;
  readonly variables: Readonly<Record<string, string>>;
}

export function attacksOn({
  id,
  level,
}: {
  readonly id: ProtectionId;
  readonly level: Enforcement;
}): readonly Attack[] {
  const all: readonly Attack[] = attacks[id];
  const tried = all.filter(({enforcedOnly}) => !enforcedOnly || level === 'enforced');
  // An attack that is not tried has the reason.
  return tried.length > 0 ? tried : all.map((one) => ({...one, script: 'exit 77'}));
}

export async function tryAll(bench: Bench, list: readonly Attack[]): Promise<Finding> {
  const results = [];
  for (const one of list) {
    const tried = await attack(bench, one);
    if (tried === 'failed') return {tried, why: null};
    results.push(tried);
  }
  if (results.includes('held')) return {tried: 'held', why: null};
  return {tried: 'not tried', why: list[0]?.without ?? 'the programs that it needs are not installed'};
}

/** An attack exits with 0 if it succeeded. 77 and 127: the target or the program is missing here. Any other end is a refusal. */
async function attack(bench: Bench, one: Attack): Promise<Tried> {
  if (one.given) return attackGiven(bench, one, one.given);
  if (one.servers) return attackAmongServers(bench, one);
  if (!one.handed) return attackWith(bench, one, 'inherit');
  const outside = openSync(bench.variables['OUTSIDE']!, 'r+');
  try {
    return await attackWith(bench, one, outside);
  } finally {
    closeSync(outside);
  }
}

/** The session is in the machine's network, so this starts another ion. Its home, where it keeps its log, is the scratch folder. */
async function attackAmongServers({session}: Bench, {script}: Attack): Promise<Tried> {
  const {packageRoot, cwd, environment} = session.host;
  const scratch = path.dirname(cwd);
  const ion = [process.execPath, path.join(packageRoot, 'bin/ion')];
  const code = await runAmongServers(
    [...ion, 'run', '--config', path.join(scratch, 'servers.toml'), script],
    {cwd, environment: {...environment, HOME: scratch}},
  );
  if (code === 0) return 'failed';
  return code === 77 || code === 125 ? 'not tried' : 'held';
}

async function attackGiven(bench: Bench, one: Attack, given: Given): Promise<Tried> {
  const {machine} = bench.session;
  const {variables} = bench;
  if (!machine.native) return 'not tried';
  const streams = await giveStreams(given, {addon: machine.native.addon, variables});
  if (!streams) return 'not tried';
  try {
    const tried = await attackWith(bench, one, streams.input, streams.output);
    return streams.isChanged?.() ? 'failed' : tried;
  } catch (error) {
    // Without a supervisor a socket is not handed over at all: then nothing runs.
    if (isIonError(error) && error.message.startsWith('cannot hand over ')) return 'held';
    throw error;
  } finally {
    streams.close();
  }
}

async function attackWith(
  bench: Bench,
  {script, leaves, reported, meanwhile, from, config, after}: Attack,
  input: Stdio,
  output: Stdio = 'ignore',
): Promise<Tried> {
  const {variables} = bench;
  // A run that names protected files is refused where that is best effort.
  const {listener, namespaces} = bench.session.machine.features;
  if (config === 'many.toml' && (!listener || namespaces === 'none')) return 'not tried';
  const session = from === undefined && !config ? bench.session : await bench.openIn(from, config);
  if (meanwhile && !session.machine.features.listener) return 'not tried';
  const other = meanwhile && actWhenAsked(session.host.cwd, meanwhile);
  const events: RunEvent[] = [];
  const runId = randomRunId();
  try {
    const running = await session.start(script, {
      stdio: [input, output, 'ignore'],
      environment: variables,
      runId,
      onEvent: (event) => void events.push(event),
    });
    const {code} = await running.outcome;
    if (reported) return events.some(({kind}) => kind === 'violation') ? 'held' : 'failed';
    const gotThrough = after ? after({workspace: session.host.cwd, events, session}) : code === 0;
    if (gotThrough || (leaves !== undefined && isRunning(leaves))) return 'failed';
    return code === 77 || code === 127 ? 'not tried' : 'held';
  } finally {
    other?.end();
    const {home} = session.host;
    // The files that an attack planted and that ion moved there.
    if (home !== undefined) rmSync(path.join(home, '.ion/quarantine', runId), {recursive: true, force: true});
  }
}

function isRunning(commandLine: string): boolean {
  return readdirSync('/proc').some((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').startsWith(commandLine);
    } catch {
      return false; // the process has ended
    }
  });
}
