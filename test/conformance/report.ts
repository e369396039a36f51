import {protections} from '../../src/sandbox/matrix/matrix.ts';
import type {ColumnResult, Result} from './judge.ts';
import {nameOf} from './judge.ts';

const slowMs = 5000;

/**
 * One table: the rows are promises, the columns are kernels. Each cell contains the level that the run reported, and the
 * results of the attacks.
 */
export function report(columns: readonly ColumnResult[]): string {
  const head = ['promise', ...columns.map(({column}) => nameOf(column))];
  const body = protections.map(({id}) => [
    id,
    ...columns.map(({results}) => cell(results.filter(({row}) => row.protection === id))),
  ]);
  const broken = columns.flatMap(({column, results}) =>
    results
      .filter(({verdict}) => verdict === 'broken')
      .map(({row, detail}) => `BROKEN: ${nameOf(column)}: ${row.protection}: ${row.name}: ${detail}`),
  );
  const failed = columns.flatMap(({column, failedControls}) =>
    failedControls.map((control) => `does not work: ${nameOf(column)}: ${control}`),
  );
  const slow = columns.flatMap(({column, results}) =>
    results
      .filter(({ms = 0}) => ms > slowMs)
      .map(({row, ms}) => `slow: ${nameOf(column)}: ${row.protection}: ${row.name}: ${ms} ms`),
  );
  const table = [head, head.map(() => '---'), ...body].map((line) => `| ${line.join(' | ')} |`);
  return [...table, '', ...broken, ...failed, ...slow, ''].join('\n');
}

/** `enforced 7/7`: seven attacks work without a sandbox, and all of them were refused. */
function cell(results: readonly Result[]): string {
  const tried = results.filter(({verdict}) => verdict !== 'nothing to try');
  if (tried.length === 0) return 'not tried';
  if (tried.some(({verdict}) => verdict === 'broken')) return 'BROKEN';
  const held = tried.filter(({verdict}) => verdict === 'held').length;
  const level = tried.find(({level}) => level !== 'refused')?.level ?? 'refused';
  return `${level} ${held}/${tried.length}`;
}
