import assert from 'node:assert/strict';
import {test} from 'node:test';
import {isWhole} from '../harness/extent.ts';
import {requireProgram} from '../harness/must-run.ts';
import {chosen, nameOf, runColumn} from './judge.ts';
import {rows} from './table.ts';

/** Attacks that succeeded without a sandbox in at least one column. An attack outside this set would prove nothing. */
const proven = new Set<string>();

/**
 * Every protection that ion reports as enforced must hold, and ion must report every protection that does not. An attack that
 * succeeds inside fails the test, whether it works outside or not. So `npm test` neither proves the attacks outside nor starts an
 * `ion` for each; the whole suite does both.
 */
for (const column of chosen) {
  test(`conformance: ${nameOf(column)}`, async (t) => {
    if (process.arch !== 'x64') return t.skip('the attacks use the system call numbers of x86-64');
    if (!requireProgram(t, 'cc', 'python3')) return;
    const {results, failedControls} = await runColumn(column, {isProven: isWhole, inSessions: !isWhole});
    for (const {row, verdict} of results)
      if (verdict !== 'nothing to try') proven.add(row.name + row.protection);
    const broken = results.filter(({verdict}) => verdict === 'broken');
    assert.deepEqual(
      broken.map(({row, by, detail}) => `${row.protection}: ${row.name} [${by}]: ${detail}`),
      [],
    );
    assert.deepEqual(failedControls, []);
  });
}

test('conformance: every attack succeeds somewhere without a sandbox', (t) => {
  if (!isWhole || process.arch !== 'x64' || process.getuid!() !== 0)
    return t.skip('only root on x86-64 sees them all, in the whole suite (.ci/run whole)');
  const never = rows.filter(({name, protection, rare}) => !rare && !proven.has(name + protection));
  assert.deepEqual(
    never.map(({name, protection}) => `${protection}: ${name}`),
    [],
  );
});
