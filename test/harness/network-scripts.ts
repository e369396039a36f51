import assert from 'node:assert/strict';
import type {TestContext} from 'node:test';
import {own, type Identity} from './identity.ts';
import {skip} from './must-run.ts';
import {clientHello} from './network-python.ts';
import {openWorld, type NetworkWorld} from './network-world.ts';
import {makeScratch} from './scratch.ts';

export const allowing = (...entries: string[]): string[] => [
  'run',
  '--set',
  `sandbox.network.allow=${JSON.stringify(entries)}`,
];

export const curl = 'curl -sS --max-time 25 -k';
export const python = (code: string): string => `python3 - <<'END'
import socket, ssl, struct
${clientHello}
def reach(address, data):
    s = socket.create_connection(address, 25); s.settimeout(25)
    for piece in data: s.send(piece)
    if s.recv(5)[:1] == b'\\x16': print('reached')
${code}
END`;

/** A record of `--events` about the network. */
export interface NetworkRecord {
  readonly rule?: string;
  readonly path?: string;
  readonly program?: string;
  readonly name?: string;
  readonly address?: string;
  readonly port?: number;
}

export interface NetworkAttack {
  readonly name: string;
  readonly script: string;
  /** The rule and the target of the record. */
  readonly want?: string;
  /** It does not succeed outside either: the server or the machine lacks the other end. */
  readonly fails?: true;
  /** Outside only root can do it. */
  readonly rootOnly?: true;
}

export async function worldFor(t: TestContext, as = own): Promise<NetworkWorld | undefined> {
  const world = await openWorld(makeScratch(t, as), as);
  if (typeof world !== 'string') return world;
  skip(t, world);
  return undefined;
}

/** All run in one run, side by side. Each line of output begins with the number of its script. */
export function together(list: readonly {readonly script: string}[]): string {
  const parts = list.map(({script}, n) => `( ${script}\n) 2>&1 </dev/null | sed 's/^/${n}: /' &`);
  // A few at a time, for machines with few processors.
  return parts
    .map((part, n) => (n % 4 === 3 ? `${part}\nwait` : part))
    .concat('wait')
    .join('\n');
}

export function reachedBy(stdout: string, n: number): boolean {
  return stdout.split('\n').some((line) => line.startsWith(`${n}: `) && line.includes('reached'));
}

function recordsIn(stderr: string): NetworkRecord[] {
  return stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as NetworkRecord)
    .filter(({rule}) => rule);
}

interface Attacked {
  readonly world: NetworkWorld;
  readonly as: Identity;
  readonly attacks: readonly NetworkAttack[];
  /** What the run may reach. */
  readonly entries: readonly string[];
}

/** Outside each attack succeeds, inside none does. Returns the records of the run inside. */
export async function attackBoth({world, as, attacks, entries}: Attacked): Promise<NetworkRecord[]> {
  const outside = await world.bash(together(attacks));
  for (const [n, {name, fails, rootOnly}] of attacks.entries())
    if (!fails && !(rootOnly && as.name !== 'root'))
      assert.ok(reachedBy(outside.stdout, n), `${name} outside: ${outside.stdout}${outside.stderr}`);
  const {stdout, stderr} = await world.ion([...allowing(...entries), '--events', 'fd:2', together(attacks)]);
  const records = recordsIn(stderr);
  for (const [n, {name, want}] of attacks.entries()) {
    assert.ok(!reachedBy(stdout, n), `${name} inside: ${stdout}`);
    const record = records.find(({rule, path}) => `${rule} ${path}` === want);
    assert.ok(want === undefined || record, `${name}: no ${want} in ${JSON.stringify(records)}`);
  }
  return records;
}
