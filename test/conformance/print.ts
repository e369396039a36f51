// `npm run conformance [-- column ...]`: runs the table and prints it. Words of its name select a column, and
// names of protections select rows.
import {appLevelColumns, runAppLevel} from './columns/app-level.ts';
import {runSeatbelt, seatbeltColumn} from './columns/seatbelt.ts';
import {protections} from '../../src/sandbox/matrix/matrix.ts';
import {columns, nameOf, rowsFor, runColumn, type ColumnResult, type Extent} from './judge.ts';
import {report} from './report.ts';
import type {Column} from './world.ts';

const words = process.argv.slice(2);
const isProtection = (word: string): boolean => protections.some(({id}) => id === word);
const ids = words.filter(isProtection);
const columnWords = words.filter((word) => !isProtection(word));
const extentFor = (column: Column): Extent =>
  ids.length === 0
    ? {}
    : {tried: rowsFor(column).filter(({protection}) => ids.includes(protection)), work: []};

const all: readonly {readonly column: Column; readonly run: () => ColumnResult | Promise<ColumnResult>}[] = [
  ...columns.map((column) => ({column, run: () => runColumn(column, extentFor(column))})),
  {column: seatbeltColumn, run: runSeatbelt},
  ...appLevelColumns.map((column) => ({column, run: () => runAppLevel(column)})),
];

const results: ColumnResult[] = [];
for (const {column, run} of all.filter((one) =>
  columnWords.every((word) => nameOf(one.column).includes(word)),
)) {
  process.stderr.write(`${nameOf(column)}\n`);
  results.push(await run());
}
process.stdout.write(report(results));
if (ids.length > 0)
  for (const {column, results: list} of results)
    for (const {row, verdict, level, detail} of list)
      console.log(`${verdict} (${level}): ${nameOf(column)}: ${row.protection}: ${row.name}: ${detail}`);
const isBroken = results.some(({results: list}) => list.some(({verdict}) => verdict === 'broken'));
process.exitCode = isBroken ? 1 : 0;
