import {test} from 'node:test';
import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {analyze} from '../../src/shell/parse/analyze.ts';
import {matchDenied} from '../../src/shell/match/deny.ts';
import {isFull} from '../harness/full.ts';
import {collected} from './collected.ts';
import {compare, type Outcome} from './compare.ts';
import {Stage} from './execute.ts';
import {generate, type Line} from './generate.ts';
import {Random} from './random.ts';

const generatedLines = Number(process.env['ION_ORACLE_LINES'] ?? (isFull ? 2400 : 400));
const seed = Number(process.env['ION_ORACLE_SEED'] ?? 20);
const workers = 4;

interface Result {
  readonly line: Line;
  readonly executed: readonly string[];
  readonly outcome: Outcome;
  readonly denied: boolean;
}

/** bash runs the line over shims; each program that it really executed is looked up in the analysis. */
async function ask(stage: Stage, line: Line): Promise<Result[]> {
  const executions = await stage.run(line.text);
  const analysis = analyze(line.text);
  return executions.map((executed) => ({
    line,
    executed,
    outcome: compare(executed, analysis),
    denied: matchDenied([`${executed[0]!} *`], analysis).length > 0,
  }));
}

async function askAll(lines: readonly Line[]): Promise<Result[]> {
  const queue = [...lines];
  const results: Result[] = [];
  await Promise.all(
    Array.from({length: workers}, async () => {
      const stage = new Stage();
      try {
        for (let line = queue.pop(); line; line = queue.pop()) results.push(...(await ask(stage, line)));
      } finally {
        stage[Symbol.dispose]();
      }
    }),
  );
  return results;
}

function show({line, executed}: Result): string {
  return `${JSON.stringify(line.text)} ran ${JSON.stringify(executed)}`;
}

test('every program that bash executes is found', {skip: mustSkip()}, async (t) => {
  const random = new Random(seed);
  const stage = new Stage();
  const lines = [
    ...collected,
    ...Array.from({length: generatedLines}, () => generate(random, stage.wrappers)),
  ];
  stage[Symbol.dispose]();
  const results = await askAll(lines);
  const ran = new Set(results.map(({line}) => line)).size;
  const literal = results.filter(({line}) => line.literal);
  const found = results.filter(({outcome}) => outcome === 'found');
  const literalFound = literal.filter(({outcome}) => outcome === 'found');
  const covered = results.filter(({outcome}) => outcome === 'covered');
  t.diagnostic(`lines: ${lines.length}, of which ${ran} executed a program; executions: ${results.length}`);
  t.diagnostic(
    `literal executions: ${literal.length}, found word by word: ${literalFound.length} (${percent(literalFound.length, literal.length)})`,
  );
  t.diagnostic(
    `all executions: found ${found.length} (${percent(found.length, results.length)}), the rest said to be unknown: ${covered.length}`,
  );
  assert.deepEqual(results.filter(({outcome}) => outcome === 'missed').map(show), [], 'missed');
  assert.deepEqual(
    literal.filter(({outcome}) => outcome !== 'found').map(show),
    [],
    'literal, but not found',
  );
  assert.deepEqual(
    literal.filter(({denied}) => !denied).map(show),
    [],
    'literal, but not denied by "program *"',
  );
  assert.ok(ran > lines.length * 0.9, `only ${ran} of ${lines.length} lines executed anything`);
});

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(2)} %`;
}

function mustSkip(): string | false {
  if (existsSync('/bin/bash') || process.env['ION_TEST_MUST_RUN']) return false;
  return 'no bash on this machine';
}
