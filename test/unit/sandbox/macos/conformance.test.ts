import {test} from 'node:test';
import assert from 'node:assert/strict';
import {rowKey, runSeatbelt} from '../../../conformance/columns/seatbelt.ts';
import {translations} from '../../../conformance/columns/translations.ts';
import {rows} from '../../../conformance/table.ts';

test('every row of the conformance table has a translation, and every translation has a row', () => {
  const keys = rows.map(rowKey);
  const missing = keys.filter((key) => !Object.hasOwn(translations, key));
  const stale = Object.keys(translations).filter((key) => !keys.includes(key));
  assert.deepEqual({missing, stale}, {missing: [], stale: []});
});

test("the matrix's claims about seatbelt hold when the profiles are evaluated", () => {
  const {results, failedControls} = runSeatbelt();
  const broken = results.filter(({verdict}) => verdict === 'broken');
  assert.deepEqual(
    broken.map(({row, detail}) => `${rowKey(row)}: ${detail}`),
    [],
  );
  assert.deepEqual(failedControls, []);
});

test('only attacks that the matrix does not promise to prevent succeed', () => {
  const open = runSeatbelt().results.filter(({verdict}) => verdict === 'open');
  assert.deepEqual([...new Set(open.map(({row}) => row.protection))].sort(), [
    'autorun-nested',
    'denied-exec',
    'denied-paths-new',
    'loopback-own',
    'loopback-unshared',
    'terminal',
  ]);
});
