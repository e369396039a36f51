/** A path is decided on, then something is swapped, then it is opened. */
import assert from 'node:assert/strict';
import {
  constants,
  mkdtempSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {test} from 'node:test';
import {openFolder, openJudged} from '../../../src/tools/open-judged.ts';

const link = (from: string, to: string): void => {
  rmSync(from, {recursive: true, force: true});
  symlinkSync(to, from);
};

const swaps: readonly (readonly [string, (at: string) => void, RegExp])[] = [
  ['nothing', () => undefined, /^$/],
  ['the file, for a link', (at) => link(`${at}/a/b/f`, `${at}/else/f`), /ELOOP/],
  ['its folder, for a link', (at) => link(`${at}/a/b`, `${at}/else`), /ENOTDIR|ELOOP/],
  ['a folder above, for a link', (at) => link(`${at}/a`, `${at}/elsewhere`), /leads elsewhere/],
  ['the file, for a folder', (at) => (rmSync(`${at}/a/b/f`), mkdirSync(`${at}/a/b/f`)), /EISDIR/],
];

for (const [name, swap, want] of swaps)
  test(`open judged: swapped: ${name}`, (t) => {
    const at = realpathSync(mkdtempSync(path.join(tmpdir(), 'judged-')));
    t.after(() => rmSync(at, {recursive: true}));
    for (const folder of ['a/b', 'else', 'elsewhere/b']) {
      mkdirSync(`${at}/${folder}`, {recursive: true});
      writeFileSync(`${at}/${folder}/f`, folder);
    }
    const judged = `${at}/a/b/f`;
    swap(at);
    let problem = '';
    try {
      assert.equal(readFileSync(openJudged(judged, constants.O_RDWR), 'utf8'), 'a/b');
    } catch (error) {
      problem = (error as Error).message;
    }
    assert.match(problem, want);
  });

test('open judged: a folder is the one that was decided on', (t) => {
  const at = realpathSync(mkdtempSync(path.join(tmpdir(), 'judged-')));
  t.after(() => rmSync(at, {recursive: true}));
  for (const folder of ['a/b', 'elsewhere/b']) mkdirSync(`${at}/${folder}`, {recursive: true});
  renameSync(`${at}/a`, `${at}/old`);
  symlinkSync(`${at}/elsewhere`, `${at}/a`);
  assert.throws(() => openFolder(`${at}/a/b`), /leads elsewhere/);
  rmSync(`${at}/a`);
  renameSync(`${at}/old`, `${at}/a`);
  symlinkSync(`${at}/a/b`, `${at}/last`);
  assert.throws(() => openFolder(`${at}/last`), /ENOTDIR|ELOOP/);
});
