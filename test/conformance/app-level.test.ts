import assert from 'node:assert/strict';
import {test} from 'node:test';
import {isFull, isWhole} from '../harness/extent.ts';
import {requireProgram} from '../harness/must-run.ts';
import {appLevelColumns, runAppLevel} from './columns/app-level.ts';

/** The check of the command's text refuses every attack on these protections, although ion does not promise it. */
const refused = new Set([
  'writes',
  'truncate',
  'reads',
  'exec',
  'devices',
  'metadata',
  'autorun',
  'autorun-new',
  'denied-paths',
]);

/**
 * Other spellings of a protected name. This file system distinguishes the spellings, and the check of the command knows only one.
 */
const spellings = new Set([
  'plant settings under a name that some file systems treat as the same',
  'with a letter that folds to another',
  'with an invisible character',
  'with a dot at its end',
]);

const chosen = isFull ? appLevelColumns : isWhole ? appLevelColumns.slice(-1) : [];
for (const column of chosen) {
  test(`conformance: app-level, ${column.as.name}`, async (t) => {
    if (process.arch !== 'x64') return t.skip('the attacks use the system call numbers of x86-64');
    if (!requireProgram(t, 'python3')) return;
    const {results} = await runAppLevel(column);
    assert.ok(results.every(({level}) => level !== 'enforced'));
    const through = results.filter(
      ({row, verdict}) => refused.has(row.protection) && !spellings.has(row.name) && verdict === 'open',
    );
    assert.deepEqual(
      through.map(({row, detail}) => `${row.protection}: ${row.name}: ${detail}`),
      [],
    );
  });
}
