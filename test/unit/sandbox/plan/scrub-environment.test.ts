import assert from 'node:assert/strict';
import {test} from 'node:test';
import {defaultLayer} from '../../../../src/config/defaults.ts';
import {scrubEnvironment} from '../../../../src/sandbox/plan/scrub-environment.ts';
import {matchGlob} from '../../../../src/shell/match/glob.ts';
import {fc} from '../../../harness/property.ts';

const byDefault = (defaultLayer(['/home/u']).values['environment.exclude'] ?? []).map(({value}) => value);
const scrub = (from: Record<string, string>, more = {}) =>
  scrubEnvironment(from, {exclude: byDefault, keep: [], set: {}, ...more});

const secrets = [
  ...[
    'NPM_TOKEN',
    'npm_config__authtoken',
    'GITHUB_TOKEN',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
    'OPENAI_API_KEY',
  ],
  ...[
    'PGPASSWORD',
    'MYSQL_PWD',
    'DB_PASS',
    'SSHPASS',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'SLACK_WEBHOOK_URL',
    'MY_JWT',
  ],
];
const harmless = [
  ...[
    'PATH',
    'HOME',
    'PWD',
    'OLDPWD',
    'LANG',
    'TERM',
    'EDITOR',
    'SSH_AUTH_SOCK',
    'SSH_ASKPASS',
    'DATABASE_URL',
    'CI',
  ],
  ...['KEYBOARD', 'PASSAGE', 'MONKEY', 'npm_config_cache', 'XAUTHORITY'],
];
for (const name of secrets) {
  test(`environment: ${name} is removed`, () => {
    assert.deepEqual(scrub({[name]: 'x'}), {variables: {}, removed: [name]});
  });
}
for (const name of harmless) {
  test(`environment: ${name} stays`, () => {
    assert.deepEqual(scrub({[name]: 'x'}), {variables: {[name]: 'x'}, removed: []});
  });
}

test('environment: keep is an exception, set comes last', () => {
  const {variables, removed} = scrub(
    {NPM_TOKEN: 'x', A_TOKEN: 'y'},
    {keep: ['npm_*'], set: {CI: '1', A_TOKEN: 'z'}},
  );
  assert.deepEqual([variables, removed], [{NPM_TOKEN: 'x', CI: '1', A_TOKEN: 'z'}, ['A_TOKEN']]);
});

test('environment: variables that refer to descriptors are removed, even if kept', () => {
  const names = ['NODE_CHANNEL_FD', 'LISTEN_FDS', 'LISTEN_PID'];
  const {variables} = scrub(Object.fromEntries(names.map((name) => [name, '3'])), {keep: ['*']});
  assert.deepEqual(variables, {});
});

test('environment: the fast matcher agrees with the glob matcher', () => {
  const glob = fc.stringMatching(/^[A-Ca-c*?_]{1,6}$/);
  const name = fc.stringMatching(/^[A-Ca-c_]{1,6}$/);
  fc.assert(
    fc.property(glob, name, (pattern, variable) => {
      const {removed} = scrubEnvironment({[variable]: ''}, {exclude: [pattern], keep: [], set: {}});
      assert.equal(removed.length === 1, matchGlob(pattern.toUpperCase(), variable.toUpperCase()));
    }),
  );
});
