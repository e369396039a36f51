import type {ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {closeSync, copyFileSync, mkdtempSync, openSync, readFileSync, readlinkSync, rmSync} from 'node:fs';
import path from 'node:path';
import {identities, type Identity} from '../harness/identity.ts';
import {actWhenAsked} from '../../src/doctor/meanwhile.ts';
import {compiled} from '../harness/native.ts';
import {startWorld, type Enter} from '../harness/network-world.ts';
import {patience} from '../harness/patience.ts';
import {packageRoot, repository, undecidedFile} from '../harness/package.ts';
import {environmentOf, runIon, runProgram, startProgram, type Ended} from '../harness/run.ts';
import {giveTo, makeScratch, writeFiles, type Scratch} from '../harness/scratch.ts';
import {snapshot} from '../harness/snapshot.ts';
import type {Asked} from '../harness/undecided.ts';
import type {Given} from '../../src/doctor/attack.ts';
import type {Kernel} from './kernels.ts';
import type {Sessions} from './sessions.ts';
import type {Row} from './table.ts';

/** A column of the table: a kernel and the user on it. */
export interface Column {
  readonly kernel: Kernel;
  readonly as: Identity;
}

/** Targets outside the sandbox for a whole column, as the variables of the scripts. */
export interface Outside {
  readonly variables: Readonly<Record<string, string>>;
  /** Starts a program among the named servers; undefined where this machine cannot have them. */
  enter(): Promise<Enter | undefined>;
  end(): Promise<void>;
}

export async function openOutside({as}: Column): Promise<Outside> {
  const root = mkdtempSync('/var/tmp/ion-test-');
  // A copy, because the column's user may not be able to read the repository.
  copyFileSync(path.join(repository, 'test/conformance/victim.py'), path.join(root, 'victim.py'));
  giveTo(root, as);
  const victim = startProgram({home: root, work: root}, ['/usr/bin/python3', 'victim.py', root], {
    as,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const line = await Promise.race([once(victim.stdout!, 'data').then(String), victim]);
  if (typeof line !== 'string') throw new Error('what should lie outside did not start');
  const variables = JSON.parse(line) as Record<string, string>;
  const servers: ChildProcess[] = [];
  let entered: Promise<Enter | undefined> | undefined;
  const openServers = async (): Promise<Enter | undefined> => {
    const world = await startWorld(path.join(root, 'servers'), servers);
    return typeof world === 'string' ? undefined : world.enter;
  };
  return {
    enter: () => (entered ??= openServers()),
    // `ION` is the target of the doctor's attacks.
    variables: {...variables, ION: variables['VICTIM']!, NETNS: readlinkSync('/proc/self/ns/net')},
    end: async () => {
      victim.stdin!.end();
      for (const server of servers) server.stdin?.end();
      await victim;
      rmSync(root, {recursive: true, force: true});
    },
  };
}

type Script = Omit<Row, 'protection'>;

const secondsOfRun = 20 * patience;

/**
 * The exit code by which a script reports that there is nothing to attack. Inside it may also mean that the sandbox
 * prevents the preparation.
 */
export const nothingHere = 77;

export interface Shot {
  readonly ended: Ended;
  /** Something outside the workspace has changed. */
  readonly changed: boolean;
}

/**
 * Runs a script in a fresh scratch folder on the column's kernel: by bash alone, or in ion's sandbox (by `ion`, or in a
 * session).
 */
export async function shoot(
  script: Script,
  column: Column,
  outside: Outside,
  how: 'bash' | 'ion' | Sessions,
): Promise<Shot> {
  const enter = script.servers ? await outside.enter() : [];
  if (!enter) return {ended: {code: nothingHere, signal: null, stdout: '', stderr: ''}, changed: false};
  const cleanUp: (() => void)[] = [];
  const scratch = makeScratch({after: (f?: unknown) => void cleanUp.push(f as () => void)}, column.as, {
    '~/outside': {text: '#!/bin/sh\nexit 0\n', mode: 0o755},
    '~/.bashrc': '',
    '~/.cache/ion/': '',
    ...script.files,
  });
  const {config} = column.kernel;
  writeFiles(scratch, {
    '/conformance.toml': configOf(script, scratch),
    ...(config && {'~/.ion/config.toml': config}),
  });
  giveTo(scratch.root, column.as);
  const input = openSync(inputOf(script, scratch), script.handed ? 'r+' : 'r');
  const other = startOther(script, scratch, column.as);
  try {
    // In read mode nothing may change in the workspace either.
    const outsideOf = script.undecided ? allOf : aroundWork;
    const before = outsideOf(scratch);
    const ended =
      typeof how === 'object' && canBeAsked(script)
        ? await how.run(askedFor(script, scratch, outside), enter)
        : await (how === 'bash' ? byBash : byIon)(script, {scratch, column, outside, input, enter});
    other?.end();
    return {ended, changed: outsideOf(scratch).join('\n') !== before.join('\n')};
  } finally {
    other?.end();
    closeSync(input);
    for (const clean of cleanUp) clean();
  }
}

/** The other process of an attack that waits for one. Without it such a script would wait ten seconds and more. */
export function startOther(
  {meanwhile}: Script,
  {work}: Scratch,
  as: Identity,
): ReturnType<typeof actWhenAsked> | undefined {
  if (!meanwhile) return undefined;
  return actWhenAsked(work, (workspace) => {
    const undo = meanwhile(workspace);
    giveTo(workspace, as);
    return undo;
  });
}

function inputOf({stdin, handed}: Script, {home, work}: Scratch): string {
  if (handed) return `${home}/outside`;
  if (stdin === undefined) return '/dev/null';
  return stdin === 'outside' ? `${home}/outside` : `${work}/${stdin}`;
}

/** The library that reports an older Landlock is for ion, not for the command. */
const configOf = ({config = ''}: Script, {work, home}: Scratch): string =>
  `[environment]\nexclude = ["LD_PRELOAD"]\n${config}`.replaceAll('{work}', work).replaceAll('{home}', home);

/** Excludes the files that ion keeps for itself, and this workspace's caches. */
const aroundWork = ({root, work, home}: Scratch): string[] =>
  snapshot(root, [work, `${home}/.ion`, `${home}/.cache/ion`]);
const allOf = ({root, home}: Scratch): string[] => snapshot(root, [`${home}/.ion`, `${home}/.cache/ion`]);

/** A session can provide the streams of the doctor's attacks. */
const canBeAsked = ({given}: Script): boolean => given !== 'unconnected';

function askedFor(script: Script, scratch: Scratch, outside: Outside): Asked {
  return {
    command: script.script,
    cwd: scratch.work,
    environment: environmentOf(scratch, variablesOf(scratch, outside)),
    flags: {configFile: `${scratch.root}/conformance.toml`, timeoutMs: secondsOfRun * 1000},
    input: inputOf(script, scratch),
    inputMode: script.handed ? 'r+' : 'r',
    given: script.given as Given | undefined,
  };
}

/** Descriptors that a careless caller leaves open. */
const leaky = ['bash', '--norc', '-c', 'exec 4</dev/null 5</dev/null 9</dev/null; "$0" "$@"; exit $?'];

/** The words before the program: the column's missing features, its user, the open descriptors. */
export function through({kernel, as}: Column): string[] {
  const change = process.getuid!() === 0 && as.uid !== 0 ? ['--user', `${as.uid}:${as.gid}`] : [];
  const capabilities = kernel.capabilities && as.uid === 0 ? ['--caps', kernel.capabilities] : [];
  return [compiled('deny-syscalls.c'), ...change, ...capabilities, ...kernel.deny, '--', ...leaky];
}

function variablesOf(scratch: Scratch, {variables}: Outside): Record<string, string> {
  return {...variables, OUTSIDE: `${scratch.home}/outside`};
}

/** Passed as text, because the column's user may not be able to read the repository. */
function givenTo({given}: Script): string[] {
  if (!given) return [];
  return ['python3', '-c', readFileSync(path.join(repository, 'test/conformance/given.py'), 'utf8'), given];
}

interface Scene {
  readonly scratch: Scratch;
  readonly column: Column;
  readonly outside: Outside;
  readonly input: number;
  readonly enter: Enter;
}

function throughAll({scratch, column, enter}: Scene, row: Script): string[] {
  const entered = enter.length > 0 ? [...enter, `--wd=${scratch.work}`] : [];
  return [...entered, ...through(column), ...givenTo(row)];
}

function byBash(row: Script, scene: Scene): Promise<Ended> {
  const {scratch, outside, input} = scene;
  // Two bash processes: so $PPID, the launcher in the sandbox, is a process of the same user here too.
  return runProgram(scratch, [...throughAll(scene, row), 'bash', '-c', row.script], {
    env: variablesOf(scratch, outside),
    stdio: [input, 'pipe', 'pipe'],
  });
}

/** Makes ion see an older kernel. */
export function environmentOn({kernel: {landlockAbi}}: Column): Readonly<Record<string, string>> {
  if (!landlockAbi) return {};
  return {LD_PRELOAD: compiled('older-landlock.c'), ION_TEST_ABI: String(landlockAbi)};
}

async function byIon(row: Script, scene: Scene): Promise<Ended> {
  const {scratch, column, outside, input} = scene;
  const config = `${scratch.root}/conformance.toml`;
  const undecided = [
    packageRoot,
    JSON.stringify({configFile: config, timeoutMs: secondsOfRun * 1000}),
    row.script,
  ];
  return runIon(
    scratch,
    row.undecided
      ? undecided
      : ['run', '--json', '--timeout', `${secondsOfRun}s`, '--config', config, row.script],
    {
      ...(row.undecided ? {program: undecidedFile} : {}),
      as: identities[0]!, // deny-syscalls changes to the column's user
      env: {...variablesOf(scratch, outside), ...environmentOn(column)},
      stdio: [input, 'pipe', 'pipe'],
      through: throughAll(scene, row),
    },
  );
}
