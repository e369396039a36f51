import type {Enforcement, ProtectionId} from '../../src/sandbox/matrix.ts';
import {kernels} from './kernels.ts';
import {controls, rows, type Row} from './table.ts';
import {openOutside, shoot, type Column, type Outside, type Shot} from './world.ts';
import {isFull} from '../harness/full.ts';
import {identities} from '../harness/identity.ts';

/** What an attack came to: nothing to attack with here; refused; through although that is promised not to happen; through as stated. */
export type Verdict = 'nothing to try' | 'held' | 'broken' | 'open';

export interface Result {
  readonly row: Row;
  readonly verdict: Verdict;
  /** What the run said about this protection. */
  readonly level: Enforcement | 'refused';
  readonly by: string;
  /** For people: what happened. */
  readonly detail: string;
  readonly ms?: number;
}

export interface ColumnResult {
  readonly column: Column;
  readonly results: readonly Result[];
  /** Everyday work that failed inside. */
  readonly failedControls: readonly string[];
}

export const nameOf = ({kernel, as}: Column): string => `${kernel.id}, ${as.name}`;

export const columns: readonly Column[] = kernels.flatMap((kernel) =>
  identities.filter(({name}) => kernel.as.includes(name)).map((as) => ({kernel, as})),
);

/**
 * What the suite takes the time for: this kernel, and in the user's own suite (`.ci/run` runs both) the poorer ones that tell most. With
 * ION_TEST_FULL=1, and in `npm run conformance`, all of them.
 */
const quick = process.getuid!() === 0 ? [] : ['docker', 'before 5.12'];
export const chosen = columns.filter(
  ({kernel}) => isFull || kernel.id === 'as it is' || quick.includes(kernel.id),
);

/** All protections, or only some. */
export async function runColumn(
  column: Column,
  parallel = 3,
  ids: readonly string[] = [],
): Promise<ColumnResult> {
  const outside = await openOutside(column);
  try {
    const tried = rows.filter(
      ({only, protection}) =>
        (!only || only === column.as.name) && (ids.length === 0 || ids.includes(protection)),
    );
    const results = await inParallel(tried, parallel, (row) => judge(row, column, outside));
    const wanted = controls.filter(({except}) => !except?.includes(column.kernel.id));
    const failed = await inParallel(wanted, parallel, async (control) => {
      const {ended} = await shoot(control, column, outside, 'ion');
      if (ended.code === 0 || isStatedRefusal(ended.stderr)) return [];
      return [`${control.name}: exit ${ended.code}: ${lastLines(ended.stderr)}`];
    });
    return {column, results, failedControls: failed.flat()};
  } finally {
    await outside.end();
  }
}

async function judge(row: Row, column: Column, outside: Outside): Promise<Result> {
  const startedAt = performance.now();
  const result = await attack(row, column, outside);
  return {...result, ms: Math.round(performance.now() - startedAt)};
}

async function attack(row: Row, column: Column, outside: Outside): Promise<Omit<Result, 'ms'>> {
  const alone = await shoot(row, column, outside, 'bash');
  if (!isHit(alone)) {
    return {row, verdict: 'nothing to try', level: 'not', by: '', detail: lastLines(alone.ended.stderr)};
  }
  const inside = await shoot(row, column, outside, 'ion');
  const said = saidAbout(row.protection, inside.ended.stderr);
  const detail = `exit ${inside.ended.code}${inside.changed ? ', and the outside changed' : ''}: ${lastLines(inside.ended.stderr)}`;
  if (said) {
    const isKnown = row.gap && (row.gap.on?.includes(column.kernel.id) ?? true);
    const promised = said.level === 'enforced' && !isKnown;
    const verdict = !isHit(inside) ? 'held' : promised ? 'broken' : 'open';
    return {row, verdict, level: said.level, by: said.by, detail};
  }
  // No facts: nothing ran. That is an answer only to a setting that was written and cannot be kept here, or to a stream.
  const isSaid =
    row.config !== undefined || inside.ended.stderr.includes('ion: cannot hand over /dev/stdin: ');
  const isRefusal = isSaid && inside.ended.code === 125 && !inside.changed;
  return {row, verdict: isRefusal ? 'held' : 'broken', level: 'refused', by: '', detail};
}

const isHit = ({ended, changed}: Shot): boolean => ended.code === 0 || changed;

/** Without a file sandbox the app-level checks deny what they cannot read, and say so. */
const isStatedRefusal = (stderr: string): boolean =>
  stderr.includes('ion: denied: ') && stderr.includes('no sandbox of the system is here');

interface Said {
  readonly protection: ProtectionId;
  readonly level: Enforcement;
  readonly by: string;
}

/** The facts that `--json` gives as the last line of stderr; none where ion itself refused to run. */
function saidAbout(id: ProtectionId, stderr: string): Said | undefined {
  const last = stderr.trimEnd().split('\n').at(-1) ?? '';
  if (!last.startsWith('{')) return undefined;
  const {sandbox} = JSON.parse(last) as {sandbox: {enforcement: readonly Said[]} | null};
  return sandbox?.enforcement.find(({protection}) => protection === id);
}

function lastLines(stderr: string): string {
  const lines = stderr
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('{'));
  return lines.slice(-2).join(' | ').slice(0, 300);
}

async function inParallel<T, R>(
  items: readonly T[],
  width: number,
  each: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await each(items[at]!);
  };
  await Promise.all(Array.from({length: width}, worker));
  return results;
}
