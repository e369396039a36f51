import assert from 'node:assert/strict';
import {readFileSync, readdirSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';

/** From the top. A folder imports only from folders below it, and `errors.ts` is below all (docs/design.md). */
const floors = [
  'cli',
  'mcp',
  'library',
  'doctor',
  'prompt',
  'session',
  'audit',
  'sandbox',
  'policy',
  'config',
  'shell',
  'tools',
  'system',
  'errors.ts',
];

const files = readdirSync('src', {recursive: true, encoding: 'utf8'}).filter((name) => name.endsWith('.ts'));
const floorOf = (file: string): number => floors.indexOf(file.split('/')[0]!);

/** The files that a file imports: at the start, lazily, or only for types. */
function importsOf(file: string): string[] {
  const text = readFileSync(`src/${file}`, 'utf8');
  const statements = text.matchAll(/^(?:import|export) [^;]*?'(\.[^']+)';/gm);
  const lazy = text.matchAll(/import\('(\.[^']+)'\)/g);
  return [...statements, ...lazy].map(([, from]) => path.join(path.dirname(file), from!));
}

test('no import leads upwards', () => {
  const upwards = files.flatMap((file) =>
    importsOf(file)
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

test('no import leads back to its own file, not even a lazy one or one of types', () => {
  const edges = new Map(files.map((file) => [file, importsOf(file)]));
  const cycles = files.filter((start) => {
    const seen = new Set<string>();
    const pending = [start];
    for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
      for (const target of edges.get(file) ?? []) {
        if (target === start) return true;
        if (!seen.has(target)) pending.push(target);
        seen.add(target);
      }
    }
    return false;
  });
  assert.deepEqual(cycles, []);
});
