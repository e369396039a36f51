import {test} from 'node:test';
import assert from 'node:assert/strict';
import {actionClasses} from '../../../src/policy/action-classes.ts';
import {decide} from '../../../src/policy/decide.ts';
import type {RealPath} from '../../../src/system/links.ts';
import {deniedPaths} from '../../../src/policy/paths/denied-paths.ts';
import {absolutePath} from '../../../src/shell/paths.ts';
import {bash, listed, rule, sourced, stateWith} from './support.ts';

/**
 * The workspace is /home/u/ws. `out` is a symlink to /srv, `docs` to `pages`, /opt/data to /srv/data. `closed` cannot be
 * resolved.
 */
const links: Readonly<Record<string, string>> = {
  '/home/u/ws/out': '/srv',
  '/home/u/ws/docs': '/home/u/ws/pages',
  '/opt/data': '/srv/data',
};
const real: RealPath = (path) => {
  if (path.startsWith('/home/u/ws/closed')) return undefined;
  const link = Object.keys(links).find((name) => `${path}/`.startsWith(`${name}/`));
  return absolutePath(link === undefined ? path : links[link]! + path.slice(link.length), '/');
};
const openLinks = () => real;

for (const {command, writeRoots = [], want} of [
  {command: 'echo x > a', want: false},
  {command: 'echo x > out/a', want: true},
  {command: 'echo x > docs/a', want: false},
  {command: 'echo x > closed/a', want: true},
  {command: 'echo x > /dev/stdout', want: false},
  {command: 'echo x > out/data/a', writeRoots: ['/opt/data'], want: false},
  {command: 'echo x > /opt/data/a', writeRoots: ['/opt/data'], want: false},
]) {
  test(`classes through a symlink: ${command} is ${want ? '' : 'not '}external (${writeRoots.join()})`, () => {
    const state = stateWith({writeRoots: listed(...writeRoots)}, {openLinks});
    assert.equal(actionClasses(bash(command), state).has('external'), want);
  });
}

for (const {command, want} of [
  {command: 'echo x > pages/a', want: 'cross_frame'},
  {command: 'echo x > docs/a', want: 'cross_frame'},
  {command: 'echo x > out/a', want: 'cross_frame'},
  {command: 'echo x > a', want: 'mode_allow'},
]) {
  test(`frames through a symlink: ${command}: ${want}`, () => {
    const frames = {pages: sourced('pages'), out: sourced('out')};
    const state = stateWith({frames}, {openLinks, interactive: true});
    assert.equal(decide(bash(command), state).reason, want);
  });
}

for (const {command, want} of [
  {command: 'cat pages/a', want: 'rule_allow'},
  {command: 'cat docs/a', want: 'rule_allow'},
  {command: 'cat out/a', want: 'rule_ask'},
  {command: 'cat closed/a', want: 'rule_ask'},
  {command: 'cat < closed/a', want: 'rule_ask'},
]) {
  test(`rules through a symlink: ${command}: ${want}`, () => {
    const rules = [
      rule('allow', 'command_prefix', 'cat'),
      rule('ask', 'path', '/'),
      rule('allow', 'path', '/home/u/ws'),
    ];
    const state = stateWith({rules}, {openLinks, interactive: true});
    assert.equal(decide(bash(command), state).reason, want);
  });
}

for (const {entry, want} of [
  {entry: '/home/u/x', want: ['/home/u/x']},
  {entry: '/opt/data/x', want: ['/opt/data/x', '/srv/data/x']},
  {entry: '/opt/data/*.pem', want: ['/opt/data/*.pem', '/srv/data/*.pem']},
  {entry: '/opt/data*', want: ['/opt/data*']},
  {entry: '/**/.env', want: ['/**/.env']},
  {entry: '/opt/data/\\[x]/*', want: ['/opt/data/\\[x]/*', '/srv/data/\\[x]/*']},
  {entry: '/opt/data/\\(x/[y]', want: ['/opt/data/\\(x/[y]', '/srv/data/\\(x/[y]']},
  {entry: '/home/u/ws/closed/x', want: ['/home/u/ws/closed/x']},
]) {
  test(`denied_paths: ${entry} is ${want.join(' and ')}`, () => {
    assert.deepEqual(
      deniedPaths(listed(entry), real).map(({path}) => path),
      want,
    );
  });
}
