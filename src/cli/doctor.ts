import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import {createServer, type Server} from 'node:net';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {IonError} from '../errors.ts';
import type {Enforced} from '../sandbox/matrix.ts';
import {openSession, type Host, type Session} from '../session/session.ts';
import {attacks, type Attack} from '../session/attacks.ts';
import {write} from './output.ts';

type Tried = 'held' | 'failed' | 'not tried';

interface Row extends Enforced {
  /** What the attacks on a scratch sandbox showed. */
  readonly tried: Tried;
}

/**
 * `ion doctor`: what this machine enforces and by what, and each claim attacked in a scratch sandbox. Exit 1 when
 * something that is claimed as enforced did not hold.
 */
export async function doctor({json}: {json?: true}, host: Host): Promise<number> {
  const scratch = makeScratch(host);
  const listeners = await listen(scratch);
  try {
    const session = await openSession(
      {...host, cwd: path.join(scratch, 'workspace')},
      {configFile: path.join(scratch, 'doctor.toml')},
    );
    const variables = {
      OUTSIDE: path.join(scratch, 'outside'),
      ION: String(process.pid),
      ...listeners.variables,
    };
    const rows: Row[] = [];
    for (const protection of session.facts.protections) {
      rows.push({...protection, tried: await attack(session, variables, attacks[protection.id])});
    }
    const broken = rows.filter(({level, tried}) => level === 'enforced' && tried === 'failed');
    write(1, json ? asJson(session, rows) : asText(session, rows));
    return broken.length > 0 ? 1 : 0;
  } finally {
    listeners.close();
    rmSync(scratch, {recursive: true, force: true});
  }
}

/** Sockets outside the sandbox, for attacks to connect to. An abstract one is more than some Nodes can do. */
async function listen(scratch: string): Promise<{variables: Record<string, string>; close: () => void}> {
  const names = {SOCKET: path.join(scratch, 'socket'), ABSTRACT: `\0ion-doctor-${process.pid}`};
  const servers: Server[] = [];
  const variables: Record<string, string> = {};
  for (const [variable, name] of Object.entries(names)) {
    const server = createServer((connection) => connection.end());
    const listening = new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(name, () => resolve(true));
    });
    if (await listening) {
      servers.push(server);
      variables[variable] = name.replace('\0', '');
    }
  }
  return {variables, close: () => servers.forEach((server) => server.close())};
}

/** A workspace with things outside it that it must not reach. Not below the temp folder: that is a write root. */
function makeScratch({environment}: Host): string {
  const base = environment['HOME'] ?? tmpdir();
  try {
    const scratch = realpathSync(mkdtempSync(path.join(base, '.ion-doctor-')));
    const workspace = path.join(scratch, 'workspace');
    for (const folder of ['.git/hooks', '.git/objects', '.git/refs', '.vscode']) {
      mkdirSync(path.join(workspace, folder), {recursive: true});
    }
    const files: Record<string, string> = {
      outside: 'secret of the outside\n',
      'doctor.toml': `[permissions]\ndeny_commands = ["base64 *"]\ndenied_paths = [${JSON.stringify(path.join(workspace, 'secret'))}]\n`,
      'workspace/secret': 'secret\n',
      'workspace/.git/HEAD': 'ref: refs/heads/main\n',
      'workspace/.git/hooks/pre-commit': '#!/bin/sh\n',
    };
    for (const [file, text] of Object.entries(files)) writeFileSync(path.join(scratch, file), text);
    return scratch;
  } catch (cause) {
    throw new IonError(`cannot make a scratch folder in ${base}: ${(cause as Error).message}`, {
      help: 'the self-test needs a folder outside the temp folder: set HOME to one that is writable',
      cause,
    });
  }
}

async function attack(
  session: Session,
  variables: Readonly<Record<string, string>>,
  list: readonly Attack[] | undefined,
): Promise<Tried> {
  let tried: Tried = 'not tried';
  for (const {script, leaves} of list ?? []) {
    const running = await session.start(script, {
      stdio: ['inherit', 'ignore', 'ignore'],
      environment: variables,
    });
    const {code} = await running.outcome;
    // Attacks exit 0 when they got through; any other end is a refusal. 77: nothing here to attack with.
    if (code === 0 || (leaves !== undefined && isRunning(leaves))) return 'failed';
    if (code !== 77) tried = 'held';
  }
  return tried;
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

function asJson({facts, machine}: Session, rows: readonly Row[]): string {
  const {landlock, seccomp} = machine.features;
  return `${JSON.stringify({backend: facts.backend, landlock_abi: landlock, seccomp, native: machine.missing ?? 'loaded', protections: rows}, undefined, 2)}\n`;
}

function asText({facts, machine}: Session, rows: readonly Row[]): string {
  const {landlock, seccomp, namespaces, listener} = machine.features;
  const lines = [
    `backend: ${facts.backend}`,
    `native part: ${machine.missing ?? 'loaded'}`,
    `landlock: ${landlock > 0 ? `ABI ${landlock}` : 'not available'}; seccomp: ${seccomp ? 'available' : 'not available'}${listener ? ', with supervisor' : ''}; namespaces: ${namespaces}`,
    '',
    ...rows.map(({id, level, by, tried, promise}) =>
      [id.padEnd(17), level.padEnd(12), tried.padEnd(10), `${promise}${by ? ` [${by}]` : ''}`].join(' '),
    ),
  ];
  const broken = rows.filter(({level, tried}) => level === 'enforced' && tried === 'failed').length;
  lines.push(
    '',
    broken > 0
      ? `${broken} protections did not hold: do not rely on ion here`
      : 'every claim that was tried held',
  );
  return `${lines.join('\n')}\n`;
}
