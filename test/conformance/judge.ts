import type {ProtectionId} from '../../src/sandbox/matrix/matrix.ts';
import type {Enforcement} from '../../src/sandbox/matrix/ways.ts';
import {kernels} from './kernels.ts';
import {controls, rows, type Control, type Row} from './table.ts';
import {openSessions, type Sessions} from './sessions.ts';
import {nothingHere, openOutside, shoot, type Column, type Outside, type Shot} from './world.ts';
import {isFull, isWhole} from '../harness/extent.ts';
import {identities, testers} from '../harness/identity.ts';

/**
 * The result of an attack. 'nothing to try': there is nothing to attack here. 'held': it was refused. 'broken': it succeeded,
 * although ion promises to prevent it or does so by best effort. 'open': it succeeded where ion promises nothing, or by a known
 * gap.
 */
export type Verdict = 'nothing to try' | 'held' | 'broken' | 'open';

export interface Result {
  readonly row: Row;
  readonly verdict: Verdict;
  /** The level that the run reported for this protection. */
  readonly level: Enforcement | 'refused';
  readonly by: string;
  /** What happened, for people. */
  readonly detail: string;
  /** The attack was tried outside on this kernel, and succeeded. */
  readonly isProven?: boolean;
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

/** The whole suite also runs the most informative weaker kernels, as a user. */
const telling = ['docker', 'before 5.12'];

/** `npm test` tests only this kernel. ION_TEST_FULL=1 and `npm run conformance` test all of them. */
export const chosen = columns.filter(({kernel, as}) => {
  if (isFull) return true;
  if (kernel.id === 'as it is') return testers.includes(as);
  return isWhole && as.name === 'user' && telling.includes(kernel.id);
});

export const rowsFor = ({as, kernel}: Column): readonly Row[] =>
  rows.filter(({only, protection}) => (!only || only === as.name) && !kernel.givesUp?.includes(protection));

/** Which part of the table runs; default: all. */
export interface Extent {
  readonly parallel?: number;
  readonly tried?: readonly Row[];
  readonly work?: readonly Control[];
  /** No row starts after this time, in milliseconds since 1970. */
  readonly until?: number;
  /** Tries each attack, or those of these rows, first without ion. */
  readonly isProven?: boolean | ((row: Row) => boolean);
  /** Called after each row. */
  readonly onResult?: (result: Result) => void;
  /** Runs the attacks in sessions of a few processes (sessions.ts) instead of one `ion` each. */
  readonly inSessions?: boolean;
}

export async function runColumn(column: Column, extent: Extent = {}): Promise<ColumnResult> {
  const {parallel = 3, tried = rowsFor(column), work = controls, until = Infinity} = extent;
  const {isProven = true, inSessions = false, onResult} = extent;
  const provesRow = typeof isProven === 'function' ? isProven : () => isProven;
  const outside = await openOutside(column);
  const free = Array.from({length: parallel}, (): Bench['ion'] =>
    inSessions ? openSessions(column) : 'ion',
  );
  try {
    const found = await inParallel(tried, parallel, async (row) => {
      if (Date.now() >= until) return [];
      const ion = free.pop()!;
      const result = await judge(row, {column, outside, isProven: provesRow(row), ion});
      free.push(ion);
      onResult?.(result);
      return [result];
    });
    const results = found.flat();
    const wanted = work.filter(({except}) => !except?.includes(column.kernel.id));
    const failed = await inParallel(wanted, parallel, async (control) => {
      const {ended} = await shoot(control, column, outside, 'ion');
      if (ended.code === 0 || isStatedRefusal(ended.stderr)) return [];
      return [`${control.name}: exit ${ended.code}: ${lastLines(ended.stderr)}`];
    });
    return {column, results, failedControls: failed.flat()};
  } finally {
    for (const ion of free) if (ion !== 'ion') ion.end();
    await outside.end();
  }
}

interface Bench {
  readonly column: Column;
  readonly outside: Outside;
  readonly isProven: boolean;
  readonly ion: 'ion' | Sessions;
}

async function judge(row: Row, bench: Bench): Promise<Result> {
  const startedAt = performance.now();
  const result = await attack(row, bench).catch(
    (error: Error) => ({row, verdict: 'broken', level: 'refused', by: '', detail: error.message}) as const,
  );
  return {
    ...result,
    isProven: bench.isProven && result.verdict !== 'nothing to try',
    ms: Math.round(performance.now() - startedAt),
  };
}

async function attack(
  row: Row,
  {column, outside, isProven, ion}: Bench,
): Promise<Omit<Result, 'ms' | 'isProven'>> {
  const alone = isProven ? await shoot(row, column, outside, 'bash') : undefined;
  if (alone && !isHit(alone)) {
    return {row, verdict: 'nothing to try', level: 'not', by: '', detail: lastLines(alone.ended.stderr)};
  }
  const inside = await shoot(row, column, outside, ion);
  if (!alone && inside.ended.code === nothingHere && !inside.changed)
    return {row, verdict: 'nothing to try', level: 'not', by: '', detail: lastLines(inside.ended.stderr)};
  const said = saidAbout(row.protection, inside.ended.stderr);
  const detail = `exit ${inside.ended.code}${inside.changed ? ', and the outside changed' : ''}: ${lastLines(inside.ended.stderr)}`;
  if (said) {
    const isKnown = row.gap && (row.gap.on?.includes(column.kernel.id) ?? true);
    const isTried = said.level === 'enforced' || (said.level === 'best effort' && !row.enforcedOnly);
    const promised = isTried && !isKnown;
    const verdict = !isHit(inside) ? 'held' : promised ? 'broken' : 'open';
    return {row, verdict, level: said.level, by: said.by, detail};
  }
  // Without facts nothing ran. That is a valid result only for an explicit setting that cannot be enforced here, or for a
  // stream.
  const isSaid =
    row.config !== undefined || inside.ended.stderr.includes('ion: cannot hand over /dev/stdin: ');
  const isRefusal = isSaid && inside.ended.code === 125 && !inside.changed;
  return {row, verdict: isRefusal ? 'held' : 'broken', level: 'refused', by: '', detail};
}

const isHit = ({ended, changed}: Shot): boolean => ended.code === 0 || changed;

/** Without a file sandbox the app-level checks deny commands that they cannot analyse, and report it. */
const isStatedRefusal = (stderr: string): boolean =>
  stderr.includes('ion: denied: ') && stderr.includes('the system has no sandbox');

interface Said {
  readonly protection: ProtectionId;
  readonly level: Enforcement;
  readonly by: string;
}

/** The facts that `--json` prints as the last line of stderr; none if ion itself refused to run. */
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
