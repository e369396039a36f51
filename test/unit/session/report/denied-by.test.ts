import {test} from 'node:test';
import assert from 'node:assert/strict';
import {deniedBy} from '../../../../src/session/report/denied-by.ts';

const settings = {
  denyCommands: [{value: 'rm -rf /', origin: {layer: 'default'}}],
  deniedPaths: [],
  rules: [],
} as const;

const rows: readonly (readonly [target: string, why: string])[] = [
  ['/usr/bin/rm -rf /', 'denied by deny_commands "rm -rf /"'],
  ['/usr/bin/busybox rm -rf /', 'denied by deny_commands "rm -rf /"'],
  [
    '/usr/bin/busybox sh -c echo',
    'denied by deny_commands "rm -rf /": this shell runs rm in its own process',
  ],
  ['busybox.static ash', 'denied by deny_commands "rm -rf /": this shell runs rm in its own process'],
];
for (const [target, why] of rows) {
  test(`${target}: ${why}`, () => {
    const found = deniedBy({rule: 'denied-command', detail: 'rm -rf /', target}, settings);
    assert.equal(found?.why, why);
  });
}
