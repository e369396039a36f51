import {
  constants,
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {release, tmpdir} from 'node:os';
import path from 'node:path';
import {isatty} from 'node:tty';
import {mayAccess} from '../../system/may-access.ts';
import {eachLimit, limitTable, type Limit} from '../../config/limits.ts';
import {IonError, isIonError} from '../../errors.ts';
import {limitKeepers} from '../../sandbox/facts.ts';
import {findCgroup} from '../../sandbox/linux/cgroup.ts';
import type {Machine} from '../../sandbox/machine.ts';
import {enforcedBy, type Enforcement, type ProtectionId} from '../../sandbox/matrix.ts';
import type {Stdio} from '../../sandbox/launch.ts';
import {openSession, type Host, type Session} from '../../session/session.ts';
import type {Attack, Given} from '../../doctor/attack.ts';
import {attacks} from '../../doctor/self-test.ts';
import {giveStreams} from '../../doctor/given-streams.ts';
import {actWhenAsked} from '../../doctor/meanwhile.ts';
import {makeTargets} from '../../doctor/targets.ts';
import {doctorText, hasFailed, type Row, type Tried} from './doctor-text.ts';
import {writeOut} from '../output.ts';
import {asJson} from '../result.ts';

interface Bench {
  readonly session: Session;
  /** A session in another folder of the scratch. */
  readonly openIn: (folder: string) => Promise<Session>;
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * `ion doctor`: what this machine enforces and by what, and each claim attacked in a scratch sandbox. Exit 1 when
 * something that is claimed did not hold.
 */
export async function doctor({json}: {json?: true}, caller: Host): Promise<number> {
  const host = {...caller, warn: once(caller.warn)};
  const scratch = makeScratch(host);
  const targets = await makeTargets(scratch);
  try {
    const variables = {...targets.variables, OUTSIDE: path.join(scratch, 'outside')};
    const openIn = (folder: string): Promise<Session> => openScratch(host, scratch, 'doctor.toml', folder);
    const session = await openIn('workspace');
    const rows: Row[] = [];
    for (const protection of session.facts.protections.filter(({id}) => !isApart(id))) {
      rows.push({...protection, ...(await tryAll({session, openIn, variables}, attacksOn(protection)))});
    }
    for (const one of apart) rows.push(...(await tryApart(one, host, scratch, variables, session.machine)));
    const broken = rows.filter(hasFailed);
    const limits = await limitsOf(session.machine);
    writeOut(json ? inJson(session, rows, limits) : asText(session, rows, limits));
    return broken.length > 0 ? 1 : 0;
  } finally {
    targets.close();
    rmSync(scratch, {recursive: true, force: true});
  }
}

/** Each session warns of what it finds; the user hears it once. */
function once(warn: Host['warn']): NonNullable<Host['warn']> {
  const said = new Set<string>();
  return (problem) => {
    const text = typeof problem === 'string' ? problem : problem.message;
    if (!said.has(text)) warn?.(problem);
    said.add(text);
  };
}

function openScratch(host: Host, scratch: string, config: string, folder = 'workspace'): Promise<Session> {
  return openSession(
    {...host, cwd: path.join(scratch, folder)},
    {for: 'serve', configFile: path.join(scratch, config)},
  );
}

interface Apart {
  readonly ids: readonly [ProtectionId, ...ProtectionId[]];
  readonly config: string;
  /** The levels of the first with which a run that asks for it is not refused. */
  readonly kept: readonly Enforcement[];
  /** Why it is not tried at other levels. */
  readonly why?: string;
}

/** Only a run that asks for these has them; and where one cannot be kept, such a run is refused. */
const apart: readonly Apart[] = [
  {ids: ['loopback', 'loopback-own', 'loopback-unshared'], config: 'loopback.toml', kept: ['enforced']},
  {
    ids: ['read-exec', 'read-mapped', 'read-programs'],
    config: 'read.toml',
    kept: ['enforced', 'best effort', 'not'],
  },
  {ids: ['private-temp'], config: 'private.toml', kept: ['enforced', 'best effort', 'not']},
  {ids: ['denied-paths'], config: 'denied.toml', kept: ['enforced', 'best effort']},
  {ids: ['denied-paths-new'], config: 'denied-new.toml', kept: ['enforced', 'best effort']},
  {ids: ['hooks-outside'], config: 'doctor.toml', kept: [], why: 'such a hook runs outside the sandbox'},
];

function isApart(id: ProtectionId): boolean {
  return apart.some(({ids}) => ids.includes(id));
}

async function tryApart(
  {ids, config, kept, why = 'ion refuses a run that needs it here'}: Apart,
  host: Host,
  scratch: string,
  variables: Bench['variables'],
  {features}: Machine,
): Promise<Row[]> {
  const said = enforcedBy(features).filter(({id}) => ids.includes(id));
  if (said.some(({id, level}) => id === ids[0] && !kept.includes(level))) {
    return said.map((row) => ({...row, tried: 'not tried', why}));
  }
  const session = await openScratch(host, scratch, config);
  const rows: Row[] = [];
  const openIn = (folder: string): Promise<Session> => openScratch(host, scratch, config, folder);
  for (const row of said)
    rows.push({...row, ...(await tryAll({session, openIn, variables}, attacksOn(row)))});
  return rows;
}

/** By what the limits of a whole tree are kept, should a run have them. */
async function limitsOf(machine: Machine): Promise<ReturnType<typeof limitKeepers>> {
  const origin = {layer: 'default'} as const;
  const limits = eachLimit(() => ({value: 1, origin}));
  return limitKeepers(limits, machine, machine.native ? findCgroup(limits) : undefined);
}

/** Home; inside another ion that one's workspace. By access(2), which is no refusal that the other one would tell. */
function scratchBase({home = tmpdir(), cwd}: Host): string {
  return [home, cwd].find((folder) => mayAccess(folder, constants.W_OK)) ?? home;
}

/** A workspace with things outside it that it must not reach. Not below the temp folder: that is a write root. */
function makeScratch(host: Host): string {
  const base = scratchBase(host);
  try {
    const scratch = realpathSync(mkdtempSync(path.join(base, '.ion-doctor-')));
    const workspace = path.join(scratch, 'workspace');
    const git = ['.git/hooks', '.git/objects', '.git/refs'];
    for (const folder of [...git, ...git.map((name) => `below/${name}`), '.vscode', 'tools']) {
      mkdirSync(path.join(workspace, folder), {recursive: true});
    }
    for (const folder of ['sibling', 'lib', '.git/worktrees/own', '.git/objects', '.git/refs'])
      mkdirSync(path.join(scratch, 'outer', folder), {recursive: true});
    for (const folder of ['objects', 'refs'])
      mkdirSync(path.join(scratch, 'outer/.git/modules/lib', folder), {recursive: true});
    const files: Record<string, string> = {
      outside: '#!/bin/sh\nexit 0\n',
      // Without toolchains: a workspace that is gone in a moment needs no caches.
      'loopback.toml': '[sandbox]\nnetwork = "loopback"\ntoolchains = []\n',
      'doctor.toml': '[permissions]\ndeny_commands = ["base64 *"]\n[sandbox]\ntoolchains = []\n',
      'denied.toml': `[permissions]\ndenied_paths = [${JSON.stringify(path.join(workspace, 'secret'))}]\n[sandbox]\ntoolchains = []\n`,
      'denied-new.toml': '[permissions]\ndenied_paths = ["*.pem"]\n[sandbox]\ntoolchains = []\n',
      'private.toml': '[sandbox]\ntmp = "private"\ntoolchains = []\n',
      'read.toml': '[permissions]\nmode = "read"\n',
      'workspace/program': '#!/bin/sh\nexit 0\n',
      'workspace/secret': 'secret\n',
      'workspace/key.pem': 'secret\n',
      'workspace/.git/HEAD': 'ref: refs/heads/main\n',
      'workspace/.git/hooks/pre-commit': '#!/bin/sh\n',
      'workspace/tools/hook': '#!/bin/sh\n',
      'workspace/below/.git/HEAD': 'ref: refs/heads/main\n',
      'workspace/below/.git/config': '',
      'workspace/below/.git/hooks/pre-commit': '#!/bin/sh\n',
      // A repository with a submodule in lib/ and a worktree in own/; sibling/ and tree/ claim what is theirs.
      'outer/.git/HEAD': 'ref: refs/heads/main\n',
      'outer/.git/modules/lib/HEAD': 'ref: refs/heads/main\n',
      'outer/.git/modules/lib/config': '[core]\n\tworktree = ../../../lib\n',
      'outer/.git/worktrees/own/HEAD': 'ref: refs/heads/own\n',
      'outer/.git/worktrees/own/gitdir': `${path.join(scratch, 'outer/own/.git')}\n`,
      'outer/.git/worktrees/own/commondir': '../..\n',
      'outer/own/.git': `gitdir: ${path.join(scratch, 'outer/.git/worktrees/own')}\n`,
      'outer/sibling/.git': 'gitdir: ../.git/modules/lib\n',
      'tree/.git': 'gitdir: ../outer/.git/worktrees/own\n',
    };
    for (const folder of ['outer/own', 'tree']) mkdirSync(path.join(scratch, folder));
    for (const [file, text] of Object.entries(files)) writeFileSync(path.join(scratch, file), text);
    for (const file of ['outside', 'workspace/program']) chmodSync(path.join(scratch, file), 0o755);
    symlinkSync('../../tools/hook', path.join(workspace, '.git/hooks/pre-push'));
    return scratch;
  } catch (cause) {
    throw new IonError(`cannot make a scratch folder in ${base}: ${(cause as Error).message}`, {
      help: 'the self-test needs a writable folder outside the temp folder: set HOME to one, or start ion in one',
      cause,
    });
  }
}

function attacksOn({id, level}: {readonly id: ProtectionId; readonly level: Enforcement}): readonly Attack[] {
  const all: readonly Attack[] = attacks[id];
  const tried = all.filter(({enforcedOnly}) => !enforcedOnly || level === 'enforced');
  // What is left out says why.
  return tried.length > 0 ? tried : all.map((one) => ({...one, script: 'exit 77'}));
}

async function tryAll(bench: Bench, list: readonly Attack[]): Promise<Pick<Row, 'tried' | 'why'>> {
  const results = [];
  for (const one of list) {
    const tried = await attack(bench, one);
    if (tried === 'failed') return {tried, why: null};
    results.push(tried);
  }
  if (results.includes('held')) return {tried: 'held', why: null};
  return {tried: 'not tried', why: list[0]?.without ?? 'the programs that it needs are not installed'};
}

/** Attacks exit 0 when they got through; any other end is a refusal. 77, 127: nothing here to attack, or to attack with. */
async function attack(bench: Bench, one: Attack): Promise<Tried> {
  if (one.given) return attackGiven(bench, one, one.given);
  if (!one.handed) return attackWith(bench, one, 'inherit');
  const outside = openSync(bench.variables['OUTSIDE']!, 'r+');
  try {
    return await attackWith(bench, one, outside);
  } finally {
    closeSync(outside);
  }
}

async function attackGiven(bench: Bench, one: Attack, given: Given): Promise<Tried> {
  const {machine} = bench.session;
  const {variables} = bench;
  if (!machine.native) return 'not tried';
  const streams = await giveStreams(given, {addon: machine.native.addon, variables});
  if (!streams) return 'not tried';
  try {
    return await attackWith(bench, one, streams.input, streams.output);
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
  {script, leaves, reported, meanwhile, from}: Attack,
  input: Stdio,
  output: Stdio = 'ignore',
): Promise<Tried> {
  const {variables} = bench;
  const session = from === undefined ? bench.session : await bench.openIn(from);
  if (meanwhile && !session.machine.features.listener) return 'not tried';
  const other = meanwhile && actWhenAsked(session.host.cwd, meanwhile);
  let refusals = 0;
  try {
    const running = await session.start(script, {
      stdio: [input, output, 'ignore'],
      environment: variables,
      onEvent: ({kind}) => {
        if (kind === 'violation') refusals++;
      },
    });
    const {code} = await running.outcome;
    if (reported) return refusals > 0 ? 'held' : 'failed';
    if (code === 0 || (leaves !== undefined && isRunning(leaves))) return 'failed';
    return code === 77 || code === 127 ? 'not tried' : 'held';
  } finally {
    other?.end();
  }
}

function isRunning(commandLine: string): boolean {
  return readdirSync('/proc').some((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').startsWith(commandLine);
    } catch {
      return false; // ended meanwhile
    }
  });
}

type Keepers = Readonly<Record<string, string>>;

function inJson({facts, machine}: Session, rows: readonly Row[], limits: Keepers): string {
  const {landlock, seccomp} = machine.features;
  const report = {
    backend: facts.backend,
    landlock_abi: landlock,
    seccomp,
    native: machine.missing ?? 'loaded',
  };
  return asJson({...report, protections: rows, limits_by: limits}).stdout;
}

function asText({facts, machine}: Session, rows: readonly Row[], keepers: Keepers): string {
  const limits = Object.fromEntries(
    Object.entries(keepers).map(([key, by]) => [limitTable[key as Limit].name, by]),
  );
  const width = isatty(1) ? process.stdout.columns || undefined : undefined;
  const kernel = process.platform === 'linux' ? release() : undefined;
  return doctorText({backend: facts.backend, machine, kernel, rows, limits}, width);
}
