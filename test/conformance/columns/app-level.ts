import {closeSync, openSync} from 'node:fs';
import {noFeatures} from '../../../src/sandbox/matrix/features.ts';
import {enforcedBy} from '../../../src/sandbox/matrix/matrix.ts';
import {identities, type Identity} from '../../harness/identity.ts';
import {packageWithoutNative} from '../../harness/plain-package.ts';
import {runProgram, type Ended} from '../../harness/run.ts';
import {giveTo, makeScratch, writeFiles, type Scratch} from '../../harness/scratch.ts';
import {snapshot} from '../../harness/snapshot.ts';
import type {ColumnResult, Result} from '../judge.ts';
import {controls, rows, type Row} from '../table.ts';
import {openOutside, startOther, type Column, type Outside} from '../world.ts';

export const appLevelColumns: readonly Column[] = identities.map((as) => ({
  kernel: {
    id: 'app-level',
    about: 'no native part: paths named in the command are checked',
    deny: [],
    as: ['root', 'user'],
  },
  as,
}));

/** The rows of the table, with only the check of the command's text. */
export async function runAppLevel(column: Column): Promise<ColumnResult> {
  const installed = packageWithoutNative();
  const outside = await openOutside(column);
  try {
    const namespaces = {column, outside, ion: installed.ion};
    const tried = rows.filter(({only, servers}) => !servers && (!only || only === column.as.name));
    const results = await threeAtOnce(tried, (row) => judge(row, namespaces));
    const failedControls: string[] = [];
    for (const control of controls) {
      const {ended} = await shoot(control, namespaces, 'ion');
      if (ended.code !== 0) failedControls.push(`${control.name}: exit ${ended.code}: ${said(ended.stderr)}`);
    }
    return {column, results, failedControls};
  } finally {
    await outside.end();
    installed.remove();
  }
}

async function threeAtOnce<T, R>(items: readonly T[], each: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await each(items[at]!);
  };
  await Promise.all([worker(), worker(), worker()]);
  return results;
}

interface Namespaces {
  readonly column: Column;
  readonly outside: Outside;
  readonly ion: string;
}

interface Shot {
  readonly ended: Ended;
  readonly changed: boolean;
}

async function judge(row: Row, namespaces: Namespaces): Promise<Result> {
  const {level = 'not', by = ''} = enforcedBy(noFeatures).find(({id}) => id === row.protection) ?? {};
  const isHit = ({ended, changed}: Shot): boolean => ended.code === 0 || changed;
  const alone = await shoot(row, namespaces, 'bash');
  if (!isHit(alone)) return {row, verdict: 'nothing to try', level, by, detail: said(alone.ended.stderr)};
  const inside = await shoot(row, namespaces, 'ion');
  const detail = `exit ${inside.ended.code}: ${said(inside.ended.stderr)}`;
  if (!isHit(inside)) return {row, verdict: 'held', level, by, detail};
  return {row, verdict: level === 'enforced' ? 'broken' : 'open', level, by, detail};
}

async function shoot(
  row: Omit<Row, 'protection'>,
  {column: {as}, outside, ion}: Namespaces,
  how: 'bash' | 'ion',
): Promise<Shot> {
  const cleanUp: (() => void)[] = [];
  const scratch = makeScratch({after: (f?: unknown) => void cleanUp.push(f as () => void)}, as, {
    '~/outside': {text: '#!/bin/sh\nexit 0\n', mode: 0o755},
    '~/.bashrc': '',
    '~/.cache/ion/': '',
    ...row.files,
  });
  const isOutside = row.handed || row.stdin === 'outside';
  const input = openSync(isOutside ? `${scratch.home}/outside` : '/dev/null', row.handed ? 'r+' : 'r');
  const other = startOther(row, scratch, as);
  try {
    const config = configFor(row, scratch, as);
    const before = outsideOf(scratch);
    const variables = {...outside.variables, OUTSIDE: `${scratch.home}/outside`};
    const script = spelledOut(row.script, variables);
    const argv = how === 'bash' ? ['bash', '-c', script] : [process.execPath, ion, 'run', ...config, script];
    const ended = await run(argv, scratch, variables, as, input);
    other?.end();
    return {ended, changed: outsideOf(scratch).join('\n') !== before.join('\n')};
  } finally {
    other?.end();
    closeSync(input);
    for (const clean of cleanUp) clean();
  }
}

/**
 * Variables are replaced by their values: the check refuses any variable, so an attacker who knows it would not use one.
 */
function spelledOut(script: string, variables: Readonly<Record<string, string>>): string {
  return script.replaceAll(/\$([A-Z]+)\b/g, (all, name: string) => variables[name] ?? all);
}

/** Excludes the files that ion keeps for itself, and this workspace's caches. */
const outsideOf = ({root, work, home}: Scratch): string[] =>
  snapshot(root, [work, `${home}/.ion`, `${home}/.cache/ion`]);

function configFor({config}: Omit<Row, 'protection'>, scratch: Scratch, as: Identity): string[] {
  if (config === undefined) return [];
  writeFiles(scratch, {
    '/conformance.toml': config.replaceAll('{work}', scratch.work).replaceAll('{home}', scratch.home),
  });
  giveTo(scratch.root, as);
  return ['--config', `${scratch.root}/conformance.toml`];
}

function run(
  argv: readonly string[],
  scratch: Scratch,
  variables: Readonly<Record<string, string>>,
  as: Identity,
  input: number,
): Promise<Ended> {
  return runProgram(scratch, argv, {as, env: variables, stdio: [input, 'pipe', 'pipe']});
}

function said(stderr: string): string {
  const lines = stderr
    .trimEnd()
    .split('\n')
    .filter((line) => line.startsWith('ion: denied'));
  return (lines.at(-1) ?? stderr.trimEnd().split('\n').at(-1) ?? '').slice(0, 200);
}
