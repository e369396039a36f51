import assert from 'node:assert/strict';
import {readFileSync, readdirSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';

/** From the top. A folder imports only from folders below it, and `errors.ts` is below all (docs/design.md). */
const floors = [
  'library',
  'cli',
  'doctor',
  'session',
  'audit',
  'sandbox',
  'policy',
  'config',
  'shell',
  'system',
  'errors.ts',
];

const files = readdirSync('src', {recursive: true, encoding: 'utf8'}).filter((name) => name.endsWith('.ts'));
const floorOf = (file: string): number => floors.indexOf(file.split('/')[0]!);

test('no import leads upwards', () => {
  const upwards = files.flatMap((file) =>
    [...readFileSync(`src/${file}`, 'utf8').matchAll(/from '(\.[^']+)'|import\('(\.[^']+)'\)/g)]
      .map(([, fixed, lazy]) => path.join(path.dirname(file), (fixed ?? lazy)!))
      .filter((target) => floorOf(target) < floorOf(file))
      .map((target) => `${file} -> ${target}`),
  );
  assert.deepEqual(upwards, []);
  assert.deepEqual(
    files.filter((file) => floorOf(file) === -1),
    [],
    'a room without a floor',
  );
});

test('no two files have the same name', () => {
  const names = files.map((file) => path.basename(file));
  assert.deepEqual(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  );
});
