import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {test} from 'node:test';
import {repair} from '../../../../src/sandbox/autorun/repair.ts';
import type {Snapshot} from '../../../../src/sandbox/autorun/snapshot.ts';

const before = '[core]\n\tbare = false\n';

/** Another process replaced the config, which removed the mount of the private copy. Then the command wrote the config. */
const replaced: readonly {
  readonly name: string;
  readonly now: string | undefined;
  readonly keys?: readonly string[];
}[] = [
  {name: 'as before', now: before},
  {name: 'an additional remote', now: `${before}[remote "o"]\n\turl = https://example.com/x\n`},
  {
    name: 'a key that runs a program',
    now: `${before}[alias]\n\tx = !evil\n`,
    keys: ['alias.x'],
  },
  {name: 'not a config', now: '[', keys: []},
  {name: 'gone', now: undefined, keys: []},
];
for (const {name, now, keys} of replaced) {
  test(`repair: a replaced config is reported and left: ${name}`, (t) => {
    const folder = mkdtempSync(path.join(realpathSync(tmpdir()), 'ion-repair-'));
    t.after(() => rmSync(folder, {recursive: true}));
    const config = path.join(folder, 'config');
    if (now !== undefined) writeFileSync(config, now);
    const input = {home: undefined, gitFolders: [folder], runId: 'abcd'.repeat(8)};
    const bare = [{config, copy: '', descriptor: -1, before: Buffer.from(before)}];
    const events = repair({input} as unknown as Snapshot, {
      shadows: [],
      bare,
      configs: [],
      locks: [],
      appeared: [],
      changed: [],
      touched: new Set([config]),
      own: [],
      more: undefined,
    });
    const left = {kind: 'autorun', path: config, repair: {did: 'left', because: 'replaced', keys}};
    assert.deepEqual(events, keys ? [left] : []);
    if (now !== undefined) assert.equal(readFileSync(config, 'utf8'), now);
  });
}
