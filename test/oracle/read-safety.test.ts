import {test} from 'node:test';
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import path from 'node:path';
import {howMany} from '../harness/extent.ts';
import {repository} from '../harness/package.ts';
import {reading} from '../unit/shell/tables/reading.ts';
import {everyday} from '../unit/shell/tables/safe.ts';
import {Random} from './random.ts';
import {generateReading} from './reading-lines.ts';
import {ReadSafety, type Finding} from './read-safety.ts';

const generated = Number(
  process.env['ION_READING_LINES'] ?? howMany({quick: 100, whole: 200, full: 100_000}),
);
const seed = Number(process.env['ION_READING_SEED'] ?? 17);
/** The test runs one in this many lines of other tests. */
const every = howMany({quick: 12, whole: 4, full: 1});
const workers = 2;

/** Lines that once found a bug, or nearly did, as JSON strings. */
const corpus = readFileSync(path.join(repository, 'test/oracle/reading-corpus.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as string);

test('no command that read mode allows changes a file or runs a program of the workspace', async (t) => {
  const random = new Random(seed);
  const waits = /\b(?:sleep|tail -f|tail -F)\b/;
  const everything = [...reading, ...everyday.map(([command]) => command)].filter(
    (line) => !waits.test(line),
  );
  const known = [...corpus, ...everything.filter((_, index) => index % every === 0)];
  const queue = process.env['ION_READING_KNOWN'] === '0' ? [] : known.reverse();
  const findings: Finding[] = [];
  const refused: string[] = [];
  let [asked, admitted, left] = [0, 0, generated];
  const next = (): string | undefined => queue.pop() ?? (left-- > 0 ? generateReading(random) : undefined);
  await Promise.all(
    Array.from({length: workers}, async () => {
      const safety = new ReadSafety();
      for (let line = next(); line !== undefined; line = next()) {
        asked++;
        const environment = await safety.admit(line);
        if (!environment) continue;
        admitted++;
        const changed = await safety.run(line, environment);
        if (changed.length > 0) findings.push({command: line, changed});
      }
      refused.push(...(await safety.close()));
    }),
  );
  t.diagnostic(`commands: ${asked}, of which read mode lets through and ran: ${admitted}`);
  assert.deepEqual(findings, []);
  assert.deepEqual(refused, [], 'refused by the boundary around it');
  assert.ok(admitted > asked / 8, 'most are refused: that would show little');
});
