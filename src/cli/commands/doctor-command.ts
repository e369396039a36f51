import {rmSync} from 'node:fs';
import {release} from 'node:os';
import path from 'node:path';
import {isatty} from 'node:tty';
import {eachLimit, limitTable, type Limit} from '../../config/limits.ts';
import {makeScratch, openScratch} from '../../doctor/scratch.ts';
import {makeTargets} from '../../doctor/targets.ts';
import {tryProtections, type Row} from '../../doctor/try-protections.ts';
import {limitKeepers} from '../../sandbox/facts.ts';
import {findCgroup} from '../../sandbox/linux/cgroup.ts';
import type {Machine} from '../../sandbox/machine.ts';
import type {Host, Session} from '../../session/session.ts';
import {doctorText, hasFailed} from './doctor-text.ts';
import {writeOut} from '../output.ts';
import {asJson} from '../result.ts';

/**
 * `ion doctor`: shows which protections this machine enforces and by which mechanism, and attacks each claim in a scratch
 * sandbox. Exit 1 when a claim did not hold.
 */
export async function doctor({json}: {json?: true}, caller: Host): Promise<number> {
  const host = {...caller, warn: once(caller.warn)};
  const scratch = makeScratch(host);
  const targets = await makeTargets(scratch);
  try {
    const variables = {...targets.variables, OUTSIDE: path.join(scratch, 'outside')};
    const session = await openScratch(host, scratch, 'doctor.toml');
    const rows = await tryProtections(host, scratch, variables, session);
    const broken = rows.filter(hasFailed);
    const limits = await limitsOf(session.machine);
    writeOut(json ? inJson(session, rows, limits) : asText(session, rows, limits));
    return broken.length > 0 ? 1 : 0;
  } finally {
    targets.close();
    rmSync(scratch, {recursive: true, force: true});
  }
}

/** Several sessions report the same warning. The user sees it once. */
function once(warn: Host['warn']): NonNullable<Host['warn']> {
  const said = new Set<string>();
  return (problem) => {
    const text = typeof problem === 'string' ? problem : problem.message;
    if (!said.has(text)) warn?.(problem);
    said.add(text);
  };
}

/** Returns the mechanisms that would enforce the limits of a whole process tree. */
async function limitsOf(machine: Machine): Promise<ReturnType<typeof limitKeepers>> {
  const origin = {layer: 'default'} as const;
  const limits = eachLimit(() => ({value: 1, origin}));
  return limitKeepers(limits, machine, machine.native ? findCgroup(limits) : undefined);
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
