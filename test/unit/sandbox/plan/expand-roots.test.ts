import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {test} from 'node:test';
import {expandRoots, withheldBy} from '../../../../src/sandbox/plan/expand-roots.ts';
import type {Root} from '../../../../src/sandbox/plan/roots.ts';

const cases: readonly {
  readonly name: string;
  readonly without?: readonly string[];
  readonly gives: readonly string[];
}[] = [
  {name: 'a root without exceptions is unchanged', gives: ['']},
  {name: 'all entries but one', without: ['shadow'], gives: ['/hosts', '/ssl']},
  {
    name: 'a folder that contains an exception is expanded',
    without: ['ssl/private', 'shadow'],
    gives: ['/hosts', '/ssl/certs'],
  },
  {
    name: 'missing names',
    without: ['nothing', 'ssl/none'],
    gives: ['/hosts', '/shadow', '/ssl/certs', '/ssl/private'],
  },
  {name: 'a file is not a folder', without: ['hosts/x'], gives: ['/shadow', '/ssl']},
];

for (const {name, without, gives} of cases) {
  test(`expandRoots: ${name}`, (t) => {
    const etc = mkdtempSync(path.join(tmpdir(), 'ion-etc-'));
    t.after(() => rmSync(etc, {recursive: true}));
    for (const folder of ['ssl/certs', 'ssl/private']) mkdirSync(path.join(etc, folder), {recursive: true});
    for (const file of ['hosts', 'shadow']) writeFileSync(path.join(etc, file), '');
    const root = {
      path: etc,
      grant: 'read',
      reason: 'test',
      optional: false,
      ...(without ? {without} : {}),
    } as const;
    const expanded = expandRoots([root]);
    assert.deepEqual(expanded.map((entry) => entry.path.slice(etc.length)).sort(), gives);
    for (const entry of expanded) assert.ok(!('without' in entry));
  });
}

const others: readonly {name: string; root: string; grant: Root['grant']; want: readonly string[]}[] = [
  {name: 'beside it', root: '/srv', grant: 'read', want: ['/etc/shadow', '/etc/ssl/private']},
  {name: 'that only lists names', root: '/etc', grant: 'list', want: ['/etc/shadow', '/etc/ssl/private']},
  {name: 'that is the same folder', root: '/etc', grant: 'read', want: []},
  {name: 'around all of it', root: '/', grant: 'read', want: []},
  {name: 'for one of them', root: '/etc/shadow', grant: 'read', want: ['/etc/ssl/private']},
];
for (const {name, root, grant, want} of others) {
  test(`withheldBy: another root ${name}`, () => {
    const etc = {path: '/etc', grant: 'read', without: ['shadow', 'ssl/private']} as const;
    const roots = [etc, {path: root, grant}].map((one) => ({...one, reason: 'test', optional: true}));
    assert.deepEqual(withheldBy(roots), want);
  });
}
