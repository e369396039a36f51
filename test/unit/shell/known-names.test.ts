import assert from 'node:assert/strict';
import {test} from 'node:test';
import {destructiveRows} from '../../../src/shell/dangerous/destructive-table.ts';
import {destructiveNames, wrapperNames} from '../../../src/shell/known-names.ts';
import {specialWrappers} from '../../../src/shell/nested/special-wrappers.ts';
import {wrapperRows} from '../../../src/shell/nested/wrapper-table.ts';

/** ion would never look up the row of a program that is missing there. */
const lists = [
  {name: 'wrappers', known: wrapperNames, tables: {...wrapperRows, ...specialWrappers}},
  {name: 'destructive programs', known: destructiveNames, tables: destructiveRows},
] as const;

for (const {name, known, tables} of lists) {
  test(`known names: ${name} are those of the tables`, () => {
    assert.deepEqual([...known].sort(), Object.keys(tables).sort());
  });
}
