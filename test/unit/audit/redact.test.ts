import {test} from 'node:test';
import assert from 'node:assert/strict';
import {makeEvent} from '../../../src/audit/events.ts';
import {redact, redactWords} from '../../../src/audit/redact.ts';
import {defaultLayer} from '../../../src/config/defaults.ts';
import {quoted} from '../../../src/errors.ts';
import {cpuSeconds} from '../../harness/cpu-seconds.ts';

const x = '[redacted]';
const hidden: [string, string][] = [
  ['TOKEN=abc make', `TOKEN=${x} make`],
  ['GITHUB_TOKEN="a b" make', `GITHUB_TOKEN="${x}" make`],
  ["export DB_PASSWORD='x y'", `export DB_PASSWORD='${x}'`],
  ['AWS_SECRET_ACCESS_KEY=abc/def+g== aws s3 ls', `AWS_SECRET_ACCESS_KEY=${x} aws s3 ls`],
  ['tool --password=hunter2 --x', `tool --password=${x} --x`],
  ['tool --api-key hunter2 run', `tool --api-key ${x} run`],
  ['tool --token "a b"', `tool --token "${x}"`],
  [`curl -d '{"password": "hunter2"}' h`, `curl -d '{"password": "${x}"}' h`],
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
  // Quotes and escapes
  ['tool "--password" hunter2', `tool "--password" ${x}`],
  ["tool --password $'a b\\'c' y", `tool --password $'${x}' y`],
  [String.raw`tool --password a\ b\;c y`, `tool --password ${x} y`],
  [String.raw`PASSWORD=a\ b make`, `PASSWORD=${x} make`],
  ['tool "--password=a b" y', `tool "--password=${x}" y`],
  ['env "API_TOKEN=a b" make', `env "API_TOKEN=${x}" make`],
  [String.raw`curl -H Authorization:\ Bearer\ abc h`, String.raw`curl -H Authorization:\ Bearer\ ${x} h`],
  ['curl -u "me:a b" h', `curl -u "me:${x}" h`],
  ['curl -ume:hunter2 h', `curl -ume:${x} h`],
  ['curl -su me:hunter2 h', `curl -su me:${x} h`],
  ['http -a me:hunter2 h', `http -a me:${x} h`],
  [
    String.raw`bash -c "curl --password \"a b\" -u \"me:hunter2\" h"`,
    String.raw`bash -c "curl --password \"${x}\" -u \"me:${x}\" h"`,
  ],
  [String.raw`curl -d "{\"password\":\"a b\"}" h`, String.raw`curl -d "{\"password\":\"${x}\"}" h`],
  ['bash -c "TOKEN=x make all"', `bash -c "TOKEN=${x} make all"`],
  // Registries, URLs
  ['npm i --//registry.npmjs.org/:_authToken=abc', `npm i --//registry.npmjs.org/:_authToken=${x}`],
  ['npm config set //r.org/:_authToken abc', `npm config set //r.org/:_authToken ${x}`],
  ['aws configure set aws_secret_access_key abc', `aws configure set aws_secret_access_key ${x}`],
  ['git clone https://hunter2@example.org/x', `git clone https://${x}@example.org/x`],
  ['git clone https://hunter2:x-oauth-basic@h/x', `git clone https://${x}:${x}@h/x`],
  ['curl https://hunter2:@api.example.org', `curl https://${x}:@api.example.org`],
  ['curl "https://h/?a=b&access_token=abc&c=d"', `curl "https://h/?a=b&access_token=${x}&c=d"`],
  // Variables
  ['DB_PASS=a make', `DB_PASS=${x} make`],
  ['PASS="a b" make', `PASS="${x}" make`],
  ['docker run -e SIGNING_KEY=a b', `docker run -e SIGNING_KEY=${x} b`],
  // Headers
  ['curl -H "Cookie: a=b; c=d" h', `curl -H "Cookie: ${x}" h`],
  [String.raw`curl -H Cookie:\ a=b\;c=d h`, String.raw`curl -H Cookie:\ ${x} h`],
  ['Set-Cookie: a=b; c=d', `Set-Cookie: ${x}`],
  ['curl -b "sid=1; x=2" h', `curl -b "${x}" h`],
  ["curl -H 'Authorization: Digest a=b, c=d' h", `curl -H 'Authorization: Digest ${x}' h`],
  ['curl -H "X-Api-Key: a b" h', `curl -H "X-Api-Key: ${x}" h`],
  ['curl -H "X-Auth: a b" h', `curl -H "X-Auth: ${x}" h`],
  ['curl -H "x-functions-key: a" h', `curl -H "x-functions-key: ${x}" h`],
  // Names inside names, and secrets in unusual places
  [
    'kubectl create secret generic s --from-literal=password=a',
    `kubectl create secret generic s --from-literal=password=${x}`,
  ],
  ['helm upgrade x --set db.password=a y', `helm upgrade x --set db.password=${x} y`],
  ['java -Djavax.net.ssl.keyStorePassword=a x', `java -Djavax.net.ssl.keyStorePassword=${x} x`],
  [`python3 -c "os.environ['API_TOKEN'] = 'a'"`, `python3 -c "os.environ['API_TOKEN'] = '${x}'"`],
  ['TOKEN+=a make', `TOKEN+=${x} make`],
  ['DB_PASS+=a make', `DB_PASS+=${x} make`],
  ['az x --cs "AccountName=n;AccountKey=a;E=b"', `az x --cs "AccountName=n;AccountKey=${x};E=b"`],
  ['curl "https://h/c?sv=1&sig=a%3D&se=2"', `curl "https://h/c?sv=1&sig=${x}&se=2"`],
  ['curl "https://h/k?X-Amz-Signature=abc"', `curl "https://h/k?X-Amz-Signature=${x}"`],
  ['curl https://discord.com/api/webhooks/123/abcdefghij', `curl https://discord.com/api/webhooks/${x}`],
  ['curl https://api.telegram.org/bot12:abc/getMe', `curl https://api.telegram.org/bot${x}/getMe`],
  ['tool --user=me:hunter2 h', `tool --user=me:${x} h`],
  // Options of some programs
  ['mysql -u root -phunter2 db', `mysql -u root -p${x} db`],
  ['docker exec db mysqldump -phunter2 -h x', `docker exec db mysqldump -p${x} -h x`],
  ['sshpass -p hunter2 ssh -p 22 h', `sshpass -p ${x} ssh -p 22 h`],
  ['sshpass -phunter2 ssh h', `sshpass -p${x} ssh h`],
  ['redis-cli -h h -a hunter2 ping', `redis-cli -h h -a ${x} ping`],
  ['openssl enc -k hunter2 -in f', `openssl enc -k ${x} -in f`],
  ['openssl enc -pass pass:hunter2 -in f', `openssl enc -pass pass:${x} -in f`],
  ['docker login -u me -p hunter2 r', `docker login -u me -p ${x} r`],
  ['java -password hunter2', `java -password ${x}`],
  ['gpg --batch --passphrase "a b" -c f', `gpg --batch --passphrase "${x}" -c f`],
  ['tool --password "a b', `tool --password "${x}`],
  ['echo "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----" > k', `echo "${x}" > k`],
];
for (const [command, want] of hidden) {
  test(`redacted: ${command.slice(0, 60)}`, () => {
    assert.equal(redact(command), want);
    assert.equal(redact(want), want, 'what is redacted twice is as redacted once');
  });
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
  'docker run -p 8080:80 -u 1000:1000 x',
  'docker login -u me --password-stdin registry',
  'tool --token-file secrets/t --no-password x',
  'ssh -p 22 h && mysql -u root -P 3306 -p db',
  'git clone ssh://git@github.com/me/x',
  'git push -u origin main',
  'rsync -u a host:b',
  'git commit -m "add a cookie banner, pass the keys"',
  'SSH_ASKPASS=/bin/x BYPASS=1 PWD=/x monkey=1 make',
  'sort -k 2 -t : --key=1 f',
  'curl -k -b jar.txt https://example.org',
  'openssl enc -pass env:NAME -in f',
  'openssl req -key file.pem',
  'bcp x && zip -r a.zip b',
  'tail -f auth.log | grep -i "authorization header"',
  "echo can't login",
  'docker run --user=1000:1000 x && chown --user=me x',
  'cat a.token.ts src/x.secret',
  'git log --format=%h --signature && curl "https://h/?signal=1&q=sig"',
];
for (const command of kept) {
  test(`not redacted: ${command}`, () => assert.equal(redact(command), command));
}

/** Secrets that a message quotes, because messages are made before redaction. */
const inMessages: readonly string[] = [
  'curl --password "hunter2secret" x',
  'curl -u "user:hunter2secret" x',
  `curl -d '{"password": "hunter2secret"}' x`,
  'curl -d "{\\"password\\": \\"hunter2secret\\"}" x',
  'API_TOKEN="hunter2secret" curl x',
  "curl --password $'hunter2secret' x",
  'bash -c "curl --password \\"hunter2secret\\" x"',
  `curl ${'x'.repeat(160)} --password "a hunter2secret and more of it"`,
];
for (const command of inMessages) {
  test(`redacted in a message: ${command.slice(0, 60)}`, () => {
    const message = `denied: ${quoted(command)} matches deny_commands "curl *"`;
    assert.doesNotMatch(redact(message), /hunter|secret"/);
    assert.match(redact(message), /^denied: ".*" matches deny_commands "curl \*"$/);
  });
}

const argvs: [string[], string[]][] = [
  [
    ['curl', '--password', 'hunter2', '-u', 'me:hunter2', 'h'],
    ['curl', '--password', x, '-u', `me:${x}`, 'h'],
  ],
  [
    ['/usr/bin/mysql', '-phunter2', '--token', 'a b', 'c'],
    ['/usr/bin/mysql', `-p${x}`, '--token', x, 'c'],
  ],
  [
    ['bash', '-c', 'curl --password "a b" h'],
    ['bash', '-c', `curl --password "${x}" h`],
  ],
  [
    ['env', 'API_TOKEN=a b;c', 'make', ''],
    ['env', `API_TOKEN=${x}`, 'make', ''],
  ],
  [
    ['tool', '--password', '--verbose', 'a;b', 'c d'],
    ['tool', '--password', '--verbose', 'a;b', 'c d'],
  ],
  [[], []],
];
for (const [argv, want] of argvs) {
  test(`redacted as words: ${argv.join(' ')}`, () => assert.deepEqual(redactWords(argv), want));
}

for (const glob of defaultLayer([]).values['environment.exclude'] ?? []) {
  const name = glob.value.replace(/^\*/, 'MY').replace(/\*$/, '_X');
  test(`redacted: the variable ${name}, which no command gets`, () => {
    assert.equal(redact(`${name}=hunter2 make`), `${name}=${x} make`);
    assert.equal(redact(`${name.toLowerCase()}="a b" make`), `${name.toLowerCase()}="${x}" make`);
  });
}

test('a long text is truncated, and says so', () => {
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
  '\\',
  '"',
  "'",
  'token="',
  '"token=\\"',
  'cookie: a=b;',
  'https://a@',
  'mysql -pa ',
  '--password ',
  "$'",
  'a_key=',
]) {
  test(`redaction is fast: a megabyte of ${JSON.stringify(unit)}`, () => {
    // Searching backwards from each character would take minutes.
    assert.ok(cpuSeconds(() => redact(unit.repeat(1_000_000 / unit.length))) < 20);
  });
}

test('no text of an event contains a secret, and no name is changed', () => {
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
