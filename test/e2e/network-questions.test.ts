import assert from 'node:assert/strict';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import {identities, own, type Identity} from '../harness/identity.ts';
import {skip} from '../harness/must-run.ts';
import {openWorld} from '../harness/network-world.ts';
import {repository} from '../harness/package.ts';
import {makeScratch} from '../harness/scratch.ts';

const curl = 'curl -sS --max-time 25 -k';

/** A program that uses the library. It prints what it was asked, and how the command ended. */
const host = `
const {open} = await import(process.env.ION_LIBRARY);
const {command, answers, askTimeout} = JSON.parse(process.env.ION_CASE);
const settings = {
  permissions: {approval: 'auto', rules: [{effect: 'allow', scope: 'tool', match: 'bash'}]},
  sandbox: {network: {allow: ['plain.example:80'], deny: ['down.example']}},
};
const asked = [];
const onAsk = (question) => {
  const name = /"(.*?)" on port 443/.exec(question.message)[1];
  asked.push({name, answers: question.answers});
  const answer = answers[name];
  return answer === 'never' ? new Promise(() => {}) : answer;
};
const session = await open({settings, layers: false, askTimeout, ...(answers ? {onAsk} : {})});
const events = [];
const reading = (async () => { for await (const event of session.events()) events.push(event); })();
const {stdout, stderr, exitCode, denials} = await session.spawn(command, {stdio: ['ignore', 'pipe', 'pipe']})
  .catch((error) => error);
await session.close();
await reading;
console.log(JSON.stringify({asked, stdout, stderr, exitCode, denials, events}));
`;

interface Case {
  readonly command: string;
  /** By name. Absent: the program answers no questions. */
  readonly answers?: Readonly<Record<string, 'once' | 'session' | 'no' | 'never'>>;
  readonly askTimeout?: number;
}

interface Result {
  readonly asked: readonly {readonly name: string; readonly answers: readonly string[]}[];
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly denials: readonly {readonly rule?: string; readonly path?: string; readonly count?: number}[];
  readonly events: readonly (Readonly<Record<string, unknown>> & {readonly type: string})[];
}

async function hosted(t: TestContext, given: Case, as: Identity = own): Promise<Result | undefined> {
  const scratch = makeScratch(t, as, {'host.mjs': host});
  const world = await openWorld(scratch, as);
  if (typeof world === 'string') {
    skip(t, world);
    return undefined;
  }
  const {stdout, stderr} = await world.ion([], {
    program: path.join(scratch.work, 'host.mjs'),
    env: {ION_CASE: JSON.stringify(given), ION_LIBRARY: path.join(repository, 'lib/index.mjs')},
  });
  try {
    return JSON.parse(stdout) as Result;
  } catch {
    return assert.fail(stdout + stderr);
  }
}

const names = ({asked}: Result): string[] => asked.map(({name}) => name);
const refused = ({denials}: Result): string[] => denials.map((one) => `${one.rule} ${one.path}`);
const show = (result: Result): string => JSON.stringify({...result, events: undefined}, undefined, 1);

for (const as of identities)
  test(`network questions: after a yes the same look-up goes on, and the name is reached (${as.name})`, async (t) => {
    const result = await hosted(
      t,
      {command: `${curl} https://ok.example/`, answers: {'ok.example': 'once'}},
      as,
    );
    if (!result) return;
    assert.deepEqual(result.asked, [{name: 'ok.example', answers: ['once', 'no']}]);
    assert.match(result.stdout, /^reached/, show(result));
    assert.deepEqual(result.denials, []);
  });

test('network questions: each is recorded, with its answer', async (t) => {
  const result = await hosted(t, {
    command: 'getent ahosts ok.example; getent ahosts other.example',
    answers: {'ok.example': 'once', 'other.example': 'no'},
  });
  if (!result) return;
  const of = (type: string, name: string): Result['events'] =>
    result.events.filter((event) => event.type === type && JSON.stringify(event).includes(name));
  for (const [name, resolution, decision, reason] of [
    ['ok.example', 'allowed', 'allow', 'answer_allow'],
    ['other.example', 'denied', 'deny', 'answer_deny'],
  ] as const) {
    const [requested, ...further] = of('permission.requested', `\\"${name}\\" on port 443`);
    assert.equal(further.length, 0);
    const resolved: Result['events'][number] | undefined = result.events.find(
      (event) =>
        event.type === 'permission.resolved' &&
        event['approval_action_id'] === requested!['approval_action_id'],
    );
    assert.deepEqual(
      [
        resolved?.['resolution'],
        resolved?.['decision'],
        resolved?.['decision_reason'],
        resolved?.['persisted'],
      ],
      [resolution, decision, reason, null],
    );
  }
});

test('network questions: a no is remembered for the run, and named as the refusal of the name', async (t) => {
  const look = 'getent ahosts other.example';
  const result = await hosted(t, {command: `${look}; ${look}; ${look}`, answers: {'other.example': 'no'}});
  if (!result) return;
  assert.deepEqual(names(result), ['other.example']);
  assert.equal(result.stdout, '');
  assert.deepEqual(refused(result), ['network-name other.example']);
  // Each look-up was refused, that of IPv4 and that of IPv6.
  assert.equal(result.denials[0]!.count, 6);
});

test('network questions: no answer in time is a no', async (t) => {
  const result = await hosted(t, {
    command: 'getent ahosts ok.example; echo went on',
    answers: {'ok.example': 'never'},
    askTimeout: 400,
  });
  if (!result) return;
  assert.deepEqual(names(result), ['ok.example']);
  assert.equal(result.stdout, 'went on\n');
  assert.deepEqual(refused(result), ['network-name ok.example']);
  const resolved = result.events.find(({type}) => type === 'permission.resolved');
  assert.equal(resolved?.['resolution'], 'timed_out');
});

test('network questions: a program that answers none gets the refusal at once', async (t) => {
  const result = await hosted(t, {command: 'getent ahosts ok.example; echo went on'});
  if (!result) return;
  assert.equal(result.stdout, 'went on\n');
  assert.deepEqual(refused(result), ['network-name ok.example']);
  assert.ok(!result.events.some(({type}) => type === 'permission.requested'));
});

test('network questions: many look-ups of one name are one question, and all go on', async (t) => {
  const result = await hosted(t, {
    command: `python3 -c "
import socket, threading
found = []
def look(): found.append(len(socket.getaddrinfo('ok.example', 443, type=socket.SOCK_STREAM)))
threads = [threading.Thread(target=look) for _ in range(60)]
[one.start() for one in threads]; [one.join() for one in threads]
print(sum(found))"`,
    answers: {'ok.example': 'once'},
  });
  if (!result) return;
  assert.deepEqual(names(result), ['ok.example']);
  assert.equal(result.stdout, '120\n', show(result)); // two addresses each
});

test('network questions: a flood of names is three questions, then refusals', async (t) => {
  const list = Array.from({length: 40}, (_, n) => `n${n}.example`);
  const result = await hosted(t, {
    command:
      list.map((name) => `getent ahosts ${name} &`).join(' ') + ' wait; getent ahosts last.example; echo end',
    answers: Object.fromEntries([...list, 'last.example'].map((name) => [name, 'no' as const])),
  });
  if (!result) return;
  assert.equal(new Set(names(result)).size, 3);
  assert.equal(result.asked.length, 3);
  assert.ok(refused(result).includes('network-name last.example'));
  assert.equal(result.stdout, 'end\n');
});

test('network questions: two names get each its own answer', async (t) => {
  const result = await hosted(t, {
    command: `${curl} https://ok.example/ & ${curl} https://a.wild.example/; wait`,
    answers: {'ok.example': 'no', 'a.wild.example': 'once'},
  });
  if (!result) return;
  assert.deepEqual(names(result).sort(), ['a.wild.example', 'ok.example']);
  assert.equal(result.stdout, 'reached Host: a.wild.example\n', show(result));
});

/** A yes to ok.example allows none of these. Each prints "reached" if it gets through. */
const beyond: readonly {readonly name: string; readonly script: string; readonly want: string}[] = [
  {name: 'another port', script: `${curl} https://ok.example:8443/`, want: 'network-port ok.example:8443'},
  {name: 'HTTP', script: `${curl} http://ok.example/`, want: 'network-port ok.example:80'},
  {
    name: 'another name at its address',
    script: `${curl} --resolve down.example:443:203.0.113.10 https://down.example/`,
    want: 'network-server-name down.example at ok.example:443',
  },
  {name: 'no server name', script: `${curl} https://203.0.113.10/`, want: 'network-no-name ok.example:443'},
  {name: 'a denied name', script: `${curl} https://down.example/`, want: 'network-name down.example'},
  {name: 'an address', script: `${curl} https://203.0.113.12/`, want: 'network-address 203.0.113.12:443'},
  {name: 'one label', script: 'getent ahosts bare', want: 'network-name bare.corp.example'},
  {
    name: 'a private address of an approved name',
    script: `${curl} https://lan.example/`,
    want: 'network-local lan.example at 10.9.8.7',
  },
];

test('network questions: a yes allows that name on port 443, and nothing else', async (t) => {
  const result = await hosted(t, {
    command: `getent ahosts ok.example >/dev/null; ${beyond.map(({script}) => script).join('; ')}; ${curl} https://ok.example/`,
    answers: {'ok.example': 'once', 'lan.example': 'once'},
  });
  if (!result) return;
  assert.deepEqual(names(result), ['ok.example', 'lan.example']);
  for (const {name, want} of beyond) assert.ok(refused(result).includes(want), `${name}: ${show(result)}`);
  assert.equal(result.stdout, 'reached Host: ok.example\n', show(result));
});
