import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {continuedByTimer, onTerminal, answer, question} from '../harness/asking-terminal.ts';
import {hosted, names, refused, show} from '../harness/asking-host.ts';
import {testers} from '../harness/identity.ts';
import {ionFile} from '../harness/package.ts';
import {childrenOf} from '../harness/processes.ts';
import {relayBelow} from '../harness/relay-process.ts';

const curl = 'curl -sS --max-time 25 -k';
const resolutions = (result: NonNullable<Awaited<ReturnType<typeof hosted>>>): unknown[] =>
  result.events
    .filter(({type}) => type === 'permission.resolved')
    .map((event) => [event['resolution'], event['decision_reason'], event['scope']]);

test('network questions: an answer for the session counts for its later commands, and for no other name', async (t) => {
  const result = await hosted(t, {
    command: `${curl} https://ok.example/`,
    andThen: [`${curl} https://ok.example/; ${curl} https://ok.example:8443/; getent ahosts other.example`],
    answers: {'ok.example': 'session', 'other.example': 'no'},
  });
  if (!result) return;
  assert.deepEqual(names(result), ['ok.example', 'other.example']);
  assert.equal(result.stdout, 'reached Host: ok.example\n'.repeat(2), show(result));
  assert.deepEqual(refused(result), ['network-port ok.example:8443', 'network-name other.example']);
  assert.deepEqual(resolutions(result)[0], ['allowed', 'answer_allow', 'session']);
});

test('network questions: an answer for one time does not outlive its command', async (t) => {
  const look = 'getent ahosts ok.example';
  const result = await hosted(t, {command: look, andThen: [look], answers: {'ok.example': 'once'}});
  if (!result) return;
  assert.deepEqual(names(result), ['ok.example', 'ok.example']);
});

test('network questions: a table without entries asks', async (t) => {
  const result = await hosted(t, {
    command: `${curl} https://ok.example/; getent ahosts other.example`,
    allow: [],
    answers: {'ok.example': 'once', 'other.example': 'no'},
  });
  if (!result) return;
  assert.deepEqual(names(result), ['ok.example', 'other.example']);
  assert.equal(result.stdout, 'reached Host: ok.example\n', show(result));
  assert.deepEqual(refused(result), ['network-name other.example']);
});

/** Looks up records of other kinds than addresses, and prints each code and how many answers came. */
const otherRecords = (name: string): string => `python3 - <<'END'
import socket, struct
for kind in 65, 16, 33:
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(20)
    m = b'\\1\\2\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0' + b''.join(bytes([len(l)]) + l.encode() for l in '${name}'.split('.')) + b'\\0' + struct.pack('>HH', kind, 1)
    s.sendto(m, ('203.0.113.53', 53)); a = s.recv(999)
    print(kind, a[3] & 15, a[7])
END`;

test('network questions: a look-up of other records is the same question, and gets none of them', async (t) => {
  const result = await hosted(t, {
    command: `${otherRecords('ok.example')}\n${otherRecords('other.example')}`,
    answers: {'ok.example': 'once', 'other.example': 'no'},
  });
  if (!result) return;
  assert.deepEqual(names(result), ['ok.example', 'other.example'], show(result));
  assert.equal(result.stdout, '65 0 0\n16 0 0\n33 0 0\n65 3 0\n16 3 0\n33 3 0\n', show(result));
  assert.deepEqual(
    result.denials.map(({rule, path: name, count}) => [rule, name, count]),
    [['network-name', 'other.example', 3]],
  );
});

test('network questions: a yes to a command that has run meanwhile is recorded as a no', async (t) => {
  const result = await hosted(t, {
    command: `cat >spoil.py <<'END'\n${continuedByTimer.replaceAll('/dev/tty', '/dev/null')}\nEND\npython3 spoil.py & sleep 1; getent ahosts ok.example; kill %1; kill -CONT %1; echo went on`,
    answers: {'ok.example': 'session'},
    slow: 5000,
  });
  if (!result) return;
  assert.equal(result.stdout, 'went on\n', show(result));
  assert.deepEqual(resolutions(result), [['dropped', 'answer_dropped', 'once']]);
  assert.deepEqual(refused(result), ['network-name ok.example']);
});

test('network questions: a command that is ended takes its question with it', async (t) => {
  const result = await hosted(t, {
    command: `(trap '' TERM; getent ahosts ok.example; echo "end $?") & trap 'wait' TERM; wait`,
    answers: {'ok.example': 'session'},
    killAfter: 300,
    slow: 1500,
  });
  if (!result) return;
  assert.equal(result.stdout, 'end 2\n', show(result));
  assert.deepEqual(resolutions(result), [['cancelled', 'answer_deny', 'once']]);
});

test('network questions: the time limit of a command stands still while a question stands', async (t) => {
  const result = await hosted(t, {
    command: 'getent ahosts ok.example >/dev/null; echo "end $?"',
    answers: {'ok.example': 'once'},
    timeout: 2000,
    slow: 3000,
  });
  if (!result) return;
  assert.equal(result.stdout, 'end 0\n', show(result));
});

test('network questions: look-ups beyond what the relay holds are refused by their name', async (t) => {
  const result = await hosted(t, {
    // One write: the run is stopped at the first look-up.
    command: `python3 - <<'END'
import socket
m = b'\\1\\2\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\2ok\\7example\\0\\0\\1\\0\\1'
s = socket.create_connection(('203.0.113.53', 53)); s.sendall((bytes([0, len(m)]) + m) * 400); s.recv(1)
END`,
    answers: {'ok.example': 'once'},
    slow: 1000,
  });
  if (!result) return;
  assert.deepEqual(
    result.denials.map(({rule, path: name, count}) => [rule, name, count]),
    [['network-busy', 'ok.example', 400 - 256]],
    show(result),
  );
});

for (const as of testers)
  test(`network questions: the answer "workspace" lists the name for later runs (${as.name})`, async (t) =>
    onTerminal(
      t,
      undefined,
      async (terminal, {home, work}) => {
        await terminal.shows('$');
        terminal.line('go');
        await terminal.shows(question);
        await answer(terminal, 'w');
        await terminal.shows(
          /ion: written to ~\/\.ion\/grants\/\w+\.toml: sandbox\.network\.allow = \["ok\.example"\]/,
        );
        await terminal.shows('end 0');
        const [file = ''] = readdirSync(path.join(home, '.ion/grants'));
        const grants = readFileSync(path.join(home, '.ion/grants', file), 'utf8');
        assert.match(grants, /^sandbox\.network\.allow = \[\n {2}"ok\.example",\n\]$/m);
        assert.ok(grants.includes(work));
        terminal.line('clear; go; echo over $((1+1))');
        await terminal.shows('over 2');
        assert.doesNotMatch(terminal.screen(), /Allow\?/);
      },
      {
        as,
        files: {
          'run.sh': `PS1='$ '; go() { ${process.execPath} ${ionFile} run --config ask.toml 'getent ahosts ok.example; echo "end $?"'; }`,
        },
        args: ['INTERACTIVE'],
      },
    ));

test('network questions: the answer "session" counts for later runs on the terminal', async (t) =>
  onTerminal(
    t,
    undefined,
    async (terminal) => {
      await terminal.shows('$');
      terminal.line('go');
      await terminal.shows(question);
      await answer(terminal, 's');
      await terminal.shows(
        '"ok.example" is allowed on port 443 from now on: in this terminal session, for at most 8 hours',
      );
      await terminal.shows('end 0');
      terminal.line('clear; go; echo over $((1+1))');
      await terminal.shows('over 2');
      assert.doesNotMatch(terminal.screen(), /Allow\?/);
    },
    {
      files: {
        'run.sh': `PS1='$ '; go() { ${process.execPath} ${ionFile} run --config ask.toml 'getent ahosts ok.example; echo "end $?"'; }`,
      },
      args: ['INTERACTIVE'],
    },
  ));

/** The process that is killed while a question stands, below the shell that has started ion. */
const killed: readonly {readonly name: string; readonly pidOf: (ion: number) => number | undefined}[] = [
  {name: 'ion', pidOf: (ion) => ion},
  {name: 'the launcher', pidOf: (ion) => relayBelow(ion)?.launcher},
  {name: 'the relay', pidOf: (ion) => relayBelow(ion)?.relay},
];

for (const {name, pidOf} of killed)
  test(`network questions: ${name} is killed while one stands: the network is closed, and nothing stays`, async (t) =>
    onTerminal(
      t,
      undefined,
      async (terminal, {work}) => {
        await terminal.shows('$');
        terminal.line('go');
        await terminal.shows(question);
        const shell = Number(readFileSync(path.join(work, 'shell'), 'utf8'));
        const ion = childrenOf(shell)[0]!.pid;
        const pid = pidOf(ion);
        assert.ok(pid !== undefined, 'no such process');
        process.kill(pid, 'SIGKILL');
        await terminal.shows(/code \d+/);
        terminal.line(
          `clear; stty -a | grep -o -- "-\\?icanon\\|-\\?echo "; pgrep -fc "sleep 1[0]00.${process.pid}"`,
        );
        await terminal.shows(/^icanon$[^]*^\d+$/m);
        assert.match(terminal.screen(), /^echo ?$/m);
        assert.match(terminal.screen(), /^0$/m, 'a process of the run is left');
        assert.doesNotMatch(terminal.output(), /STREAM|reached/);
      },
      {
        files: {
          'run.sh': `PS1='$ '; echo $$ >shell; go() { ${process.execPath} ${ionFile} run --config ask.toml 'sleep 1000.${process.pid} & getent ahosts ok.example; ${curl} https://ok.example/; kill %1'; echo "code $?"; }`,
        },
        args: ['INTERACTIVE'],
      },
    ));
