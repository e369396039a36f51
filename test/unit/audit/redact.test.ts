import {test} from 'node:test';
import assert from 'node:assert/strict';
import {makeEvent} from '../../../src/audit/events.ts';
import {redact} from '../../../src/audit/redact.ts';

const x = '[redacted]';
const hidden: [string, string][] = [
  ['TOKEN=abc make', `TOKEN=${x} make`],
  ['GITHUB_TOKEN="a b" make', `GITHUB_TOKEN=${x} make`],
  ["export DB_PASSWORD='x y'", `export DB_PASSWORD=${x}`],
  ['AWS_SECRET_ACCESS_KEY=abc/def+g== aws s3 ls', `AWS_SECRET_ACCESS_KEY=${x} aws s3 ls`],
  ['tool --password=hunter2 --x', `tool --password=${x} --x`],
  ['tool --api-key hunter2 run', `tool --api-key ${x} run`],
  ['tool --token "a b"', `tool --token ${x}`],
  [`curl -d '{"password": "hunter2"}' h`, `curl -d '{"password": ${x}}' h`],
  ['curl -H "Authorization: Bearer abc.def"', `curl -H "Authorization: Bearer ${x}"`],
  ["curl -H 'authorization: Basic dTpw'", `curl -H 'authorization: Basic ${x}'`],
  ['curl -u me:hunter2 h', `curl -u me:${x} h`],
  ['git clone https://me:hunter2@example.org/x', `git clone https://me:${x}@example.org/x`],
  ['psql postgres://u:p%40ss@db/x', `psql postgres://u:${x}@db/x`],
  [`echo ghp_${'a'.repeat(36)}`, `echo ${x}`],
  [`echo github_pat_${'a'.repeat(40)}`, `echo ${x}`],
  [`echo glpat-${'a'.repeat(20)}`, `echo ${x}`],
  [`echo sk-proj-${'a'.repeat(40)}`, `echo ${x}`],
  ['echo AKIAIOSFODNN7EXAMPLE', `echo ${x}`],
  [`echo xoxb-${'1'.repeat(12)}`, `echo ${x}`],
  [`echo eyJhbGciOiJI.eyJzdWIiOiIx.c2ln`, `echo ${x}`],
  ['echo "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----" > k', `echo "${x}" > k`],
];
for (const [command, want] of hidden) {
  test(`redacted: ${command.slice(0, 60)}`, () => assert.equal(redact(command), want));
}

const kept = [
  'git commit -m "tokenise the input"',
  'npm run test:password-reset',
  'cat src/token.ts && grep -r secret_name .',
  'curl https://example.org/a:b@c',
  'ls --color=auto',
  'echo $TOKEN',
  'ssh user@host',
  'git log --author=x --since=2026-01-01',
];
for (const command of kept) {
  test(`not redacted: ${command}`, () => assert.equal(redact(command), command));
}

test('a long text is cut, and says so', () => {
  assert.match(redact('x'.repeat(50_000)), /^x{16384}… \(50000 characters\)$/);
});

for (const unit of [
  'a-',
  'a.',
  'eyJ',
  'eyJ-',
  'https://',
  '--',
  'token',
  '-----BEGIN PRIVATE KEY-----',
  'x:',
  '"\\',
]) {
  test(`redacting is quick: a megabyte of ${JSON.stringify(unit)}`, () => {
    const started = performance.now();
    redact(unit.repeat(1_000_000 / unit.length));
    assert.ok(performance.now() - started < 2000);
  });
}

test('no text of an event keeps a secret, and no name is changed', () => {
  const body = {key: 'k', value: 'API_TOKEN=abc', at: 'f', why: 'because PASSWORD=x'};
  const event = makeEvent('config.ignored', {runId: 'r', now: new Date(0)}, body);
  assert.deepEqual(
    {value: event.value, why: event.why, key: event.key},
    {
      value: `API_TOKEN=${x}`,
      why: `because PASSWORD=${x}`,
      key: 'k',
    },
  );
});
