import {mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {ancestorsOf, seatbeltPlan, type SeatbeltInput} from '../../../../src/sandbox/macos/seatbelt-plan.ts';
import type {Root} from '../../../../src/sandbox/plan/roots.ts';
import {writePlan} from './support.ts';

const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'ion-seatbelt-')));
after(() => rmSync(base, {recursive: true, force: true}));
mkdirSync(`${base}/private/ws/.git`, {recursive: true});
mkdirSync(`${base}/private/tmp`);
symlinkSync('private/ws', `${base}/ws`);
symlinkSync('private/tmp', `${base}/tmp`);

const root = (at: string, grant: Root['grant'], optional = false): Root => ({
  path: at,
  grant,
  reason: '',
  optional,
});

const input: SeatbeltInput = {
  tag: writePlan.tag,
  network: 'none',
  report: 'denials',
  roots: [root(`${base}/ws`, 'write'), root(`${base}/tmp`, 'write'), root(`${base}/gone`, 'read', true)],
  sharedTemp: `${base}/tmp`,
  unixSockets: [`${base}/tmp/s`],
  closed: [],
  protect: [`${base}/ws/.git/hooks`, `${base}/ws/.ion`],
  deniedPaths: [`${base}/ws/secret`, `${base}/ws/**/.env`],
};

test('every path is the real one; a missing optional path is left out', () => {
  const ws = `${base}/private/ws`;
  const temp = `${base}/private/tmp`;
  assert.deepEqual(seatbeltPlan(input), {
    tag: writePlan.tag,
    network: 'none',
    report: 'denials',
    read: [],
    view: [],
    noExecute: [],
    list: [],
    write: [ws, temp],
    append: [],
    localSockets: [ws],
    namedSockets: [`${temp}/s`],
    protect: [`${ws}/.git/hooks`, `${ws}/.ion`],
    denied: [
      {path: `${ws}/secret`, glob: false},
      {path: `${ws}/**/.env`, glob: true},
    ],
  });
});

test('a private temp folder may hold sockets', () => {
  assert.deepEqual(seatbeltPlan({...input, sharedTemp: undefined}).localSockets, [
    `${base}/private/ws`,
    `${base}/private/tmp`,
  ]);
});

test('a missing required root is an error', () =>
  assert.throws(() => seatbeltPlan({...input, roots: [root(`${base}/gone`, 'write')]}), /cannot grant/));

test('a denied pattern that seatbelt cannot express is an error', () =>
  assert.throws(() => seatbeltPlan({...input, deniedPaths: ['/w/[ab]']}), /cannot enforce denied_paths/));

test('each folder between a write root and a protected file is an ancestor, including the root', () => {
  const plan = {
    ...writePlan,
    write: ['/w'],
    protect: ['/w/a/b/c', '/outside/x'],
    denied: [
      {path: '/w/d/e', glob: false},
      {path: '/w/f/*/g', glob: true},
    ],
  };
  assert.deepEqual(ancestorsOf(plan), ['/w', '/w/a', '/w/a/b', '/w/d', '/w/f']);
});
