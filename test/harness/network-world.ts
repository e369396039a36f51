import {spawnSync, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {chmodSync, copyFileSync, mkdirSync} from 'node:fs';
import path from 'node:path';
import {patience} from './patience.ts';
import {own, type Identity} from './identity.ts';
import {repository} from './package.ts';
import {
  runIon,
  runProgram,
  startIon,
  startProgram,
  text,
  type Ended,
  type RunSpec,
  type Started,
} from './run.ts';
import type {Scratch} from './scratch.ts';

/** Namespaces with name servers and web servers of their own (network-world.py). */
export interface NetworkWorld {
  readonly folder: string;
  /** The words that start a program in it, in the workspace. */
  readonly through: readonly string[];
  ion(args: readonly string[], spec?: RunSpec): Promise<Ended>;
  /** The same, with stdin open. */
  start(args: readonly string[]): Started;
  /** The same without ion. */
  bash(script: string): Promise<Ended>;
}

const timeoutMs = 120_000 * patience;
const isRoot = own.name === 'root';

const certificate = [
  ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=ok.example'],
  ...['-addext', 'subjectAltName=DNS:ok.example,DNS:other.example,DNS:*.wild.example,DNS:plain.example'],
];

/** The words that start a program in the namespaces of a world. */
export type Enter = readonly string[];

/**
 * Starts its servers, with their files in a new folder. If the machine does not grant it, returns what is missing. A plain user's
 * world is inside a user namespace, and ion makes its own in it.
 */
export async function startWorld(
  folder: string,
  companions: ChildProcess[],
): Promise<{readonly enter: Enter} | string> {
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  const files = ['-keyout', `${folder}/key.pem`, '-out', `${folder}/cert.pem`];
  if (spawnSync('openssl', [...certificate, ...files]).status !== 0) return 'openssl makes no certificate';
  chmodSync(`${folder}/key.pem`, 0o644);
  copyFileSync(path.join(repository, 'test/harness/network-world.py'), `${folder}/world.py`);
  const apart = isRoot ? ['-n', '-m'] : ['-U', '--map-current-user', '--keep-caps', '-n', '-m'];
  const argv = ['unshare', ...apart, 'python3', `${folder}/world.py`, folder];
  const server = startProgram({home: folder, work: folder}, argv);
  companions.push(server);
  const started = await firstLine(server);
  if (started !== 'ready') return `no world of servers: ${started}`;
  const target = ['-t', String(server.pid), '-n', '-m', ...(isRoot ? [] : ['-U', '--preserve-credentials'])];
  return {enter: ['nsenter', ...target]};
}

/** Starts one for a test, for which ion runs as this user. Returns what is missing. */
export async function openWorld(scratch: Scratch, as: Identity): Promise<NetworkWorld | string> {
  const folder = path.join(scratch.root, 'world');
  const world = await startWorld(folder, scratch.companions);
  if (typeof world === 'string') return world;
  const user = isRoot ? ['setpriv', `--reuid=${as.uid}`, `--regid=${as.gid}`, '--clear-groups'] : [];
  const through = [...world.enter, `--wd=${scratch.work}`, ...user];
  return {
    folder,
    through,
    ion: (args, spec = {}) =>
      runIon(scratch, args, {
        timeoutMs,
        ...spec,
        as: own,
        through: [...through, ...(spec.through ?? [])],
      }),
    start: (args) => startIon(scratch, args, {as: own, through}),
    bash: (script) => runProgram(scratch, [...through, 'bash', '-c', script], {timeoutMs}),
  };
}

/** What it prints first, or its errors if it ends before that. */
function firstLine(server: Started): Promise<string> {
  return Promise.race([
    once(server.stdout!, 'data').then(([chunk]) => String(chunk).trim()),
    server.then(({stderr}) => text(stderr)),
  ]);
}

/** A config: the network is approved for every command, and names that the table does not list are questions. */
export const asksForNames = `
[permissions]
approval = "auto"
[[permissions.rules]]
effect = "allow"
scope = "tool"
match = "bash"
[sandbox.network]
allow = ["plain.example:80"]
`;
