import {test} from 'node:test';
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {openLinks} from '../../../src/system/links.ts';

const links = {
  one: 'folder',
  two: 'folder/up',
  'folder/up': '../one',
  deep: 'folder/below',
  away: '/usr/./share/../lib',
  dangling: 'nowhere/at/all',
  loop: 'loop',
  pipelink: 'pipe',
};

/** `T` is the scratch folder. undefined: the path cannot be resolved. */
const rows: readonly (readonly [path: string, want: string | undefined])[] = [
  ['T/file', 'T/file'],
  ['T/./folder//below/', 'T/folder/below'],
  ['T/one/x', 'T/folder/x'],
  ['T/two/x', 'T/folder/x'],
  ['T/deep/../x', 'T/folder/x'],
  ['T/deep/../../one', 'T/folder'],
  ['T/away/x', '/usr/lib/x'],
  ['T/dangling/x', 'T/nowhere/at/all/x'],
  ['T/dangling/../../../one/x', 'T/folder/x'],
  ['T/nothing/../one/x', 'T/folder/x'],
  ['T/nothing/more/../../one/x', 'T/folder/x'],
  ['T/nothing/one/x', 'T/nothing/one/x'],
  ['T/file/x', 'T/file/x'],
  ['T/file/../one', 'T/folder'],
  ['T/../../../../../..', '/'],
  ['/..', '/'],
  ['T/loop', undefined],
  ['T/loop/x', undefined],
  ['T/pipelink', 'T/pipe'],
  ['T/pipe/x', 'T/pipe/x'],
  [`T/${'x'.repeat(300)}`, undefined],
  [`T/${'one/../'.repeat(10)}one`, 'T/folder'],
  [`T/${'./'.repeat(2000)}one`, 'T/folder'],
  [`T/${'./'.repeat(5000)}one`, undefined],
  ['/proc/self/cwd/x', undefined],
  ['/proc/1/root', undefined],
  ['/proc/self/../self/status', '/proc/self/status'],
  ['/proc/thread-self/status', '/proc/thread-self/status'],
  ['/proc/thread-self/../../status', undefined],
  ['/proc/thread-self/./../x', undefined],
  ['T/\0', undefined],
];

test('links: where a path leads', (t) => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'ion-links-')));
  t.after(() => rmSync(folder, {recursive: true}));
  mkdirSync(path.join(folder, 'folder/below'), {recursive: true});
  writeFileSync(path.join(folder, 'file'), '');
  execFileSync('mkfifo', [path.join(folder, 'pipe')]);
  for (const [name, target] of Object.entries(links)) symlinkSync(target, path.join(folder, name));
  const filledIn = (text: string) => text.replace(/^T/, folder);
  for (const real of [openLinks(), openLinks(folder)]) {
    for (const [asked, want] of rows) {
      assert.equal(real(filledIn(asked)), want && filledIn(want), asked.slice(0, 80));
    }
  }
});
