import {once} from 'node:events';
import {accessSync, constants, readlinkSync, rmdirSync, rmSync, writeFileSync} from 'node:fs';
import {createServer, type AddressInfo, type ListenOptions, type Server} from 'node:net';
import path from 'node:path';
import {execa} from 'execa';
import {randomRunId} from '../system/run-id.ts';
import {makeClosedFolder, makePrivateTemp} from '../sandbox/plan/private-temp.ts';

/** Targets outside the sandbox for the doctor's attacks. */
export interface Targets {
  /** The names of targets in attack scripts (attack.ts), with their values. A target that could not be made is missing. */
  readonly variables: Readonly<Record<string, string>>;
  readonly close: () => void;
}

/** Makes the targets: servers on sockets, shared memory and a terminal. Also finds a device that this user can open. */
export async function makeTargets(scratch: string): Promise<Targets> {
  const socket = path.join(scratch, 'socket');
  const abstract = `ion-doctor-${process.pid}`;
  const [unix, hidden, tcp, terminal] = await Promise.all([
    serve({path: socket}),
    // Some versions of Node do not support abstract sockets.
    serve({path: `\0${abstract}`}),
    serve({port: 0, host: '127.0.0.1'}),
    openTerminal(),
  ]);
  const shm = shareMemory();
  const closed = privateFolder();
  const found: Record<string, string | undefined> = {
    ION: String(process.pid),
    SOCKET: unix && socket,
    ABSTRACT: hidden && abstract,
    PORT: tcp && String((tcp.address() as AddressInfo).port),
    TERMINAL: terminal?.name,
    SHARED: shm,
    PRIVATE: closed,
    IPC: namespaceOf('ipc'),
    DEVICE: openableDevice(),
  };
  return {
    variables: Object.fromEntries(
      Object.entries(found).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    close: () => {
      for (const server of [unix, hidden, tcp]) server?.close();
      terminal?.close();
      if (shm) rmSync(shm, {force: true});
      if (closed) rmSync(closed, {recursive: true, force: true});
    },
  };
}

function serve(options: ListenOptions): Promise<Server | undefined> {
  const server = createServer((connection) => connection.on('error', () => undefined).end('reached\n'));
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen(options, () => resolve(server));
  });
}

/** A terminal other than the run's own. Node cannot make one. */
async function openTerminal(): Promise<{name: string; close: () => void} | undefined> {
  const code = 'import os, sys\nm, s = os.openpty()\nprint(os.ttyname(s), flush=True)\nsys.stdin.read()';
  // execa must not clean up here, because it would listen to ion's signals. python3 ends when ion's end of its stdin closes.
  const options = {cwd: '/', stderr: 'ignore', buffer: false, cleanup: false, reject: false} as const;
  const child = execa('/usr/bin/python3', ['-I', '-c', code], options);
  const [name] = await Promise.race([once(child.stdout, 'data'), child.then(() => [])]);
  return name && {name: String(name).trim(), close: () => child.stdin.end()};
}

function shareMemory(): string | undefined {
  const file = `/dev/shm/ion-doctor-${process.pid}`;
  try {
    writeFileSync(file, 'shared\n', {flag: 'wx', mode: 0o600});
    return file;
  } catch {
    return undefined;
  }
}

/** A temp folder such as another run has. */
function privateFolder(): string | undefined {
  const place = {home: process.env['HOME'], uid: process.geteuid?.() ?? -1, temp: '/tmp', roots: []};
  const possible = makeClosedFolder(place, randomRunId());
  if (possible === undefined) return undefined;
  rmdirSync(possible);
  const folder = makePrivateTemp(place, randomRunId());
  writeFileSync(path.join(folder, 'file'), 'private\n');
  return folder;
}

function namespaceOf(kind: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/ns/${kind}`);
  } catch {
    return undefined;
  }
}

/** Opening one of these devices has no effect. Opening a watchdog would start it, and a tape would rewind. */
const devices = ['kmsg', 'kvm', 'fuse', 'net/tun', 'loop-control', 'vda', 'sda', 'nvme0n1', 'mem', 'console'];

function openableDevice(): string | undefined {
  return devices
    .map((name) => `/dev/${name}`)
    .find((device) => {
      try {
        accessSync(device, constants.R_OK);
        return true;
      } catch {
        return false;
      }
    });
}
