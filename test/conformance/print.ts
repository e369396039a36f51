// `npm run conformance [-- column ...]`: run the table and print it; a column is named by words of its name.
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
