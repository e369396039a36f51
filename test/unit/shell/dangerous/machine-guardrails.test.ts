import {test} from 'node:test';
import assert from 'node:assert/strict';
import {analyze} from '../../../../src/shell/parse/analyze.ts';
import {guardrail} from '../../../../src/shell/dangerous/machine-guardrails.ts';
import {attacks, everyday} from '../tables/guardrails.ts';

const folders = {cwd: '/home/u/ws/sub', home: '/home/u', workspace: '/home/u/ws'};

for (const [command, want] of [...attacks, ...everyday]) {
  test(`${JSON.stringify(command)}: ${want}`, () =>
    assert.equal(guardrail(analyze(command), folders)?.why ?? 'none', want));
}

test('a command that cannot be analysed does not run', () => {
  const hit = guardrail(analyze(`${'true; '.repeat(30_000)}rm -rf /`), folders);
  assert.equal(hit?.name, 'unreadable');
});

test('a parent of the workspace, from its top', () => {
  const top = {...folders, cwd: '/srv/a/ws', workspace: '/srv/a/ws'};
  assert.match(guardrail(analyze('rm -rf ..'), top)!.why, /a parent of the workspace, \/srv\/a/);
  assert.match(guardrail(analyze('rm -rf ../*'), top)!.why, /a parent of the workspace/);
  assert.equal(guardrail(analyze('rm -rf ../wsx'), top), undefined);
});
