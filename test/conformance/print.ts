// `npm run conformance [-- column ...]`: runs the table and prints it. Words of its name select a column.
import {appLevelColumns, runAppLevel} from './columns/app-level.ts';
import {runSeatbelt, seatbeltColumn} from './columns/seatbelt.ts';
import {columns, nameOf, runColumn, type ColumnResult} from './judge.ts';
import {report} from './report.ts';
import type {Column} from './world.ts';

const all: readonly {readonly column: Column; readonly run: () => ColumnResult | Promise<ColumnResult>}[] = [
  ...columns.map((column) => ({column, run: () => runColumn(column)})),
  {column: seatbeltColumn, run: runSeatbelt},
  ...appLevelColumns.map((column) => ({column, run: () => runAppLevel(column)})),
];

const words = process.argv.slice(2);
const results: ColumnResult[] = [];
for (const {column, run} of all.filter((one) => words.every((word) => nameOf(one.column).includes(word)))) {
  process.stderr.write(`${nameOf(column)}\n`);
  results.push(await run());
}
process.stdout.write(report(results));
const isBroken = results.some(({results: list}) => list.some(({verdict}) => verdict === 'broken'));
process.exitCode = isBroken ? 1 : 0;
