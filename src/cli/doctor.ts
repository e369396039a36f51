import {mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync} from 'node:fs';
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
  try {
    const session = await openSession({...host, cwd: path.join(scratch, 'workspace')});
    const rows: Row[] = [];
    for (const protection of session.facts.protections) {
      rows.push({...protection, tried: await attack(session, scratch, attacks[protection.id])});
    }
    const broken = rows.filter(({level, tried}) => level === 'enforced' && tried === 'failed');
    write(1, json ? asJson(session, rows) : asText(session, rows));
    return broken.length > 0 ? 1 : 0;
  } finally {
    rmSync(scratch, {recursive: true, force: true});
  }
}

/** A workspace with things outside it that it must not reach. Not below the temp folder: that is a write root. */
function makeScratch({environment}: Host): string {
  const base = environment['HOME'] ?? tmpdir();
  try {
    const scratch = realpathSync(mkdtempSync(path.join(base, '.ion-doctor-')));
    mkdirSync(path.join(scratch, 'workspace'));
    writeFileSync(path.join(scratch, 'outside'), 'secret of the outside\n');
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
  scratch: string,
  list: readonly Attack[] | undefined,
): Promise<Tried> {
  let tried: Tried = 'not tried';
  for (const {script} of list ?? []) {
    const running = await session.start(`OUTSIDE=${scratch}/outside; ION=${process.pid}\n${script}`, {
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    const {code} = await running.outcome;
    // Attacks exit 0 when they got through; any other end is a refusal. 77: nothing here to attack with.
    if (code === 0) return 'failed';
    if (code !== 77) tried = 'held';
  }
  return tried;
}

function asJson({facts, machine}: Session, rows: readonly Row[]): string {
  const {landlock, seccomp} = machine.features;
  return `${JSON.stringify({backend: facts.backend, landlock_abi: landlock, seccomp, native: machine.missing ?? 'loaded', protections: rows}, undefined, 2)}\n`;
}

function asText({facts, machine}: Session, rows: readonly Row[]): string {
  const {landlock, seccomp} = machine.features;
  const lines = [
    `backend: ${facts.backend}`,
    `native part: ${machine.missing ?? 'loaded'}`,
    `landlock: ${landlock > 0 ? `ABI ${landlock}` : 'not available'}; seccomp: ${seccomp ? 'available' : 'not available'}`,
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
