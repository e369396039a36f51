import assert from 'node:assert/strict';
import {test} from 'node:test';
import {howMany, isFull} from '../harness/extent.ts';
import {skip} from '../harness/must-run.ts';
import {runCorpus} from './corpus.ts';
import {failures, skips} from './report.ts';
import {rows} from './rows.ts';
import {settings} from './settings.ts';

/**
 * Everyday commands give the same results inside and outside, except for the differences that the table explains. `npm
 * test` runs one in fifteen of the quick ones, the whole suite a fifth, each in one setting. ION_TEST_FULL=1 (`.ci/run
 * all`) and `npm run corpus` run all of them in all settings.
 */
const quick = rows.filter(({slow}) => !slow);
const every = howMany({quick: 15, whole: 5, full: 1}) * settings.length;

/** Programs that `.ci/run packages` does not install. */
const optional = ['cargo', 'java', 'javac', 'go', 'gdb', 'inotifywait', 'sudo', 'tree'];

for (const [number, setting] of settings.entries()) {
  test(`corpus: ${setting.name}`, async (t) => {
    const chosen = isFull ? rows : quick.filter((_, index) => index % every === number);
    const result = {setting, compared: await runCorpus(setting, chosen)};
    assert.deepEqual(failures(result), []);
    const missing = skips([result]).filter((line) => !optional.some((name) => line.endsWith(` ${name}`)));
    if (missing.length > 0) skip(t, missing.join('; '));
    for (const line of skips([result])) t.diagnostic(line);
  });
}

test('corpus: at least 200 commands in write mode and 100 in read mode', () => {
  const count = (mode: string): number => rows.filter((row) => row.mode === mode).length;
  assert.ok(count('write') >= 200 && count('read') >= 100, `${count('write')} and ${count('read')}`);
  assert.equal(
    new Set(rows.map(({mode, project, command}) => `${mode} ${project} ${command}`)).size,
    rows.length,
  );
});
