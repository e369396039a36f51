import assert from 'node:assert/strict';
import {test} from 'node:test';
import {hosted, names, refused, show, type HostedResult} from '../harness/asking-host.ts';
import {identities} from '../harness/identity.ts';

const curl = 'curl -sS --max-time 25 -k';

for (const as of identities)
  test(`network questions: after a yes the same look-up goes on, and the name is reached (${as.name})`, async (t) => {
    const result = await hosted(
      t,
      {command: `${curl} https://ok.example/`, answers: {'ok.example': 'once'}},
      as,
    );
    if (!result) return;
    assert.deepEqual(result.asked, [{name: 'ok.example', answers: ['once', 'session', 'no']}]);
    assert.match(result.stdout, /^reached/, show(result));
    assert.deepEqual(result.denials, []);
  });

test('network questions: each is recorded, with its answer', async (t) => {
  const result = await hosted(t, {
    command: 'getent ahosts ok.example; getent ahosts other.example',
    answers: {'ok.example': 'once', 'other.example': 'no'},
  });
  if (!result) return;
  const of = (type: string, name: string): HostedResult['events'] =>
    result.events.filter((event) => event.type === type && JSON.stringify(event).includes(name));
  for (const [name, resolution, decision, reason] of [
    ['ok.example', 'allowed', 'allow', 'answer_allow'],
    ['other.example', 'denied', 'deny', 'answer_deny'],
  ] as const) {
    const [requested, ...further] = of('permission.requested', `\\"${name}\\" on port 443`);
    assert.equal(further.length, 0);
    const resolved: HostedResult['events'][number] | undefined = result.events.find(
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
