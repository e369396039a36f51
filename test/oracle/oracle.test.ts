import {test} from 'node:test';
import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {analyze} from '../../src/shell/parse/analyze.ts';
import {matchDenied} from '../../src/shell/match/deny.ts';
import {howMany} from '../harness/extent.ts';
import {collected} from './collected.ts';
import {compare} from './compare.ts';
import {Stage, type Ran} from './execute.ts';
import {generate, type Line} from './generate.ts';
import {Random} from './random.ts';

const generatedLines = Number(
  process.env['ION_ORACLE_LINES'] ?? howMany({quick: 200, whole: 400, full: 100_000}),
);
const seed = Number(process.env['ION_ORACLE_SEED'] ?? 20);
const workers = 2;
const batch = 200;

/** Counts, and the lines that fail the test. */
class Tally {
  lines = 0;
  ran = 0;
  executions = 0;
  found = 0;
  literal = 0;
  readonly late: string[] = [];
  readonly missed: string[] = [];
  readonly notFound: string[] = [];
  readonly notDenied: string[] = [];

  add({text, literal}: Line, {executed, late}: Ran): void {
    this.lines++;
    if (late) this.late.push(text);
    if (executed.length === 0) return;
    this.ran++;
    const analysis = analyze(text);
    for (const argv of executed) {
      const outcome = compare(argv, analysis);
      const shown = `${JSON.stringify(text)} ran ${JSON.stringify(argv)}`;
      this.executions++;
      if (outcome === 'found') this.found++;
      if (outcome === 'missed') this.missed.push(shown);
      if (!literal) continue;
      this.literal++;
      if (outcome !== 'found') this.notFound.push(shown);
      if (matchDenied([`${argv[0]!} *`], analysis).length === 0) this.notDenied.push(shown);
    }
  }
}

/** bash runs the lines with shims. Each executed program is searched in the analysis. */
async function askAll(next: () => Line | undefined, tally: Tally): Promise<void> {
  const work = async (): Promise<void> => {
    using stage = new Stage();
    for (;;) {
      const lines = Array.from({length: batch}, next).filter((line) => line !== undefined);
      if (lines.length === 0) return;
      const ran = await stage.run(lines.map(({text}) => text));
      for (const [at, line] of lines.entries()) tally.add(line, ran[at]!);
    }
  };
  await Promise.all(Array.from({length: workers}, work));
}

test('every program that bash executes is found', {skip: mustSkip()}, async (t) => {
  const random = new Random(seed);
  const wrappers = wrappersHere();
  const known = [...collected].reverse();
  let left = generatedLines;
  const tally = new Tally();
  await askAll(() => known.pop() ?? (left-- > 0 ? generate(random, wrappers) : undefined), tally);
  const {lines, ran, executions, found, literal, missed, notFound, notDenied, late} = tally;
  t.diagnostic(`lines: ${lines}, of which ${ran} executed a program; executions: ${executions}`);
  t.diagnostic(
    `literal executions: ${literal}, found word by word: ${literal - notFound.length} (${percent(literal - notFound.length, literal)})`,
  );
  t.diagnostic(
    `all executions: found ${found} (${percent(found, executions)}), the rest said to be unknown: ${executions - found - missed.length}`,
  );
  t.diagnostic(
    `still running at the limit, and killed: ${late.length} ${late.map((line) => JSON.stringify(line)).join(' ')}`,
  );
  assert.deepEqual(missed, [], 'missed');
  assert.deepEqual(notFound, [], 'literal, but not found');
  assert.deepEqual(notDenied, [], 'literal, but not denied by "program *"');
  assert.ok(ran > lines * 0.9, `only ${ran} of ${lines} lines executed anything`);
  assert.ok(late.length <= lines / 1000, 'too many had to be killed');
});

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(2)} %`;
}

function mustSkip(): string | false {
  if (existsSync('/bin/bash') || process.env['ION_TEST_MUST_RUN']) return false;
  return 'no bash on this machine';
}

function wrappersHere(): ReadonlySet<string> {
  using stage = new Stage();
  return stage.wrappers;
}
