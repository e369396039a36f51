// Runs inside a guest, as its only program: doctor, everyday work, other file systems and the conformance table, as root and
// as a user. The results go to the third disk as JSON.
// usage: guest.mjs [doctor] [smoke] [file-systems] [conformance] [root] [user] [depth:N] [minutes:N] [proof] [protection ...]
// depth:N: the first N attacks on each protection. minutes:N: no attack starts later. Both leave out the table's everyday
// work.
// proof: tries each attack also without ion. By default only the first attack on each protection is: the whole suite shows
// that all succeed.
// The first attack on each protection runs first, then the second on each. The doctor's own attacks come last.

import {closeSync, fsyncSync, openSync, writeSync} from 'node:fs';
import {availableParallelism, release} from 'node:os';
import {attacks} from '../../src/doctor/self-test.ts';
import {protections} from '../../src/sandbox/matrix/matrix.ts';
import {columns, rowsFor, runColumn, type ColumnResult, type Result} from '../conformance/judge.ts';
import {kernels, type Kernel} from '../conformance/kernels.ts';
import {controls, type Row} from '../conformance/table.ts';
import type {Column} from '../conformance/world.ts';
import type {Identity} from '../harness/identity.ts';
import {runIon} from '../harness/run.ts';
import {makeScratch, type Files} from '../harness/scratch.ts';
import {tryFileSystems} from './file-systems.ts';
import {smoke, type Smoke} from './smoke.ts';
import type {GuestReport, SeenColumn} from './report.ts';

const words = process.argv.slice(2);
const parts = ['doctor', 'smoke', 'file-systems', 'conformance'].filter((part) => words.includes(part));
const wants = (part: string): boolean => parts.length === 0 || parts.includes(part);
const ids = words.filter((word) => protections.some(({id}) => id === word));
const limit = (name: string): number =>
  Number(words.find((word) => word.startsWith(`${name}:`))?.slice(name.length + 1) ?? Infinity);
const [depth, minutes] = [limit('depth'), limit('minutes')];
const isWhole = depth === Infinity && minutes === Infinity && ids.length === 0;
/** Emulated processors are ten times slower. */
const patienceMs = 1_500_000;
/** For one command. */
const workMs = 60_000;

/** Some rows need a listener. Before Linux 5.12 there is neither a usable listener nor Landlock. */
const [major = 0, minor = 0] = release().split('.').map(Number);
const id = major < 5 || (major === 5 && minor < 12) ? 'before 5.12' : 'as it is';
const here: Kernel = {...kernels.find((kernel) => kernel.id === id)!, deny: []};

const who = columns.filter(
  ({kernel, as}) =>
    kernel.id === 'as it is' &&
    (words.includes(as.name) || !(words.includes('root') || words.includes('user'))),
);

const seen: SeenColumn[] = [];
for (const {as} of who) {
  const column = {kernel: here, as};
  console.log(`guest: ${as.name}`);
  const doctor = wants('doctor') ? await runDoctor(as) : undefined;
  console.log(`guest: doctor ${doctor?.code} ${Math.round(process.uptime())} s`);
  const failed = wants('smoke') ? await failedWork(as) : [];
  console.log(`guest: everyday work, ${failed.length} failed ${Math.round(process.uptime())} s`);
  // Only a supervisor refuses other spellings.
  const fileSystems =
    wants('file-systems') && id === 'as it is' ? await tryFileSystems(as, patienceMs) : undefined;
  const table = wants('conformance')
    ? await runColumn(column, {
        parallel: availableParallelism(),
        inSessions: true,
        isProven: provenFor(column),
        onResult: tellProgress(),
        tried: chosenFor(column),
        work: isWhole ? controls : [],
        until: Date.now() + minutes * 60_000,
      })
    : undefined;
  console.log(`guest: conformance ${Math.round(process.uptime())} s`);
  seen.push({
    as: as.name,
    doctor,
    failed,
    fileSystems,
    ...(table ? conformanceOf(table) : {}),
    tookS: Math.round(process.uptime()),
  });
  save();
}

/** Called after each column. A guest that ends too early loses only the columns after it. */
function save(): void {
  const report: GuestReport = {release: release(), processors: availableParallelism(), columns: seen};
  const disk = openSync('/dev/vdc', 'r+');
  writeSync(disk, `${JSON.stringify(report)}\n`);
  fsyncSync(disk);
  closeSync(disk);
}

/** The doctor tries these on every kernel anyway. */
function isDoctors({protection, name}: Row): boolean {
  return attacks[protection].some((one) => one.name === name);
}

function chosenFor(column: Column): readonly Row[] {
  const before = new Map<string, number>();
  return rowsFor(column)
    .filter(({protection}) => ids.length === 0 || ids.includes(protection))
    .toSorted((a, b) => Number(isDoctors(a)) - Number(isDoctors(b)))
    .map((row) => {
      const at = before.get(row.protection) ?? 0;
      before.set(row.protection, at + 1);
      return {row, at};
    })
    .filter(({at}) => at < depth)
    .toSorted((a, b) => a.at - b.at)
    .map(({row}) => row);
}

function provenFor(column: Column): (row: Row) => boolean {
  const first = new Map(
    chosenFor(column)
      .toReversed()
      .map((row) => [row.protection, row]),
  );
  return (row) => words.includes('proof') || first.get(row.protection) === row;
}

function tellProgress(): (result: Result) => void {
  let ended = 0;
  return ({row, verdict, level, detail}) => {
    ended++;
    if (ended % 10 === 0) console.log(`guest: ${ended} attacks ${Math.round(process.uptime())} s`);
    if (verdict === 'broken') console.log(`guest: BROKEN ${row.protection}: ${row.name}: ${level} ${detail}`);
  };
}

function conformanceOf({column, results, failedControls}: ColumnResult): Partial<SeenColumn> {
  return {
    results: results.map(({row, verdict, level, by, detail, isProven, ms}) => ({
      protection: row.protection,
      name: row.name,
      verdict,
      level,
      by,
      detail,
      isProven: isProven ?? false,
      ms: ms ?? 0,
    })),
    failedControls,
    attacks: rowsFor(column).length,
  };
}

async function inScratch<T>(
  as: Identity,
  files: Files,
  body: (scratch: ReturnType<typeof makeScratch>) => Promise<T>,
): Promise<T> {
  const cleanUp: (() => unknown)[] = [];
  const scratch = makeScratch({after: (f?: unknown) => void cleanUp.push(f as () => void)}, as, files);
  try {
    return await body(scratch);
  } finally {
    for (const clean of cleanUp) await clean();
  }
}

function runDoctor(as: Identity): Promise<SeenColumn['doctor']> {
  return inScratch(as, {}, async (scratch) => {
    const {code, stdout, stderr} = await runIon(scratch, ['doctor', '--json'], {
      as,
      timeoutMs: patienceMs,
    }).catch((error: Error) => ({code: null, stdout: '', stderr: error.message}));
    const answer = stdout.startsWith('{') ? (JSON.parse(stdout) as object) : {};
    return {code, stderr, ...answer} as SeenColumn['doctor'];
  });
}

async function failedWork(as: Identity): Promise<string[]> {
  const failed: string[] = [];
  for (const one of smoke) {
    const found = await tryWork(as, one).catch((error: Error) => [`${one.name}: ${error.message}`]);
    console.log(`guest: ${one.name}: ${found.length === 0 ? 'done' : found[0]}`);
    failed.push(...found);
  }
  return failed;
}

function tryWork(
  as: Identity,
  {name, script, args = [], files = {}, prints, exits = 0, hides}: Smoke,
): Promise<string[]> {
  return inScratch(as, {}, async (scratch) => {
    const fill = (text: string): string =>
      text.replaceAll('{root}', scratch.root).replaceAll('{work}', scratch.work);
    const {writeFiles, giveTo} = await import('../harness/scratch.ts');
    writeFiles(
      scratch,
      Object.fromEntries(
        Object.entries(files).map(([file, text]) => [file, typeof text === 'string' ? fill(text) : text]),
      ),
    );
    giveTo(scratch.root, as);
    const {code, stdout, stderr} = await runIon(scratch, ['run', ...args.map(fill), script], {
      as,
      timeoutMs: workMs,
    });
    const right =
      // Root reads an empty file where a mount hides one.
      (hides !== undefined || code === exits) &&
      (prints === undefined || stdout === prints) &&
      (hides === undefined || !stdout.includes(hides));
    return right ? [] : [`${name}: exit ${code}, ${JSON.stringify(stdout)}, ${stderr.trim()}`];
  });
}
