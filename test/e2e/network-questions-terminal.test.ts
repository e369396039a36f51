import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {answer, config, continuedByTimer, onTerminal, question} from '../harness/asking-terminal.ts';
import {identities} from '../harness/identity.ts';
import {ionFile} from '../harness/package.ts';

const curl = 'curl -sS --max-time 25 -k';

for (const as of identities)
  test(`network questions: on a terminal, the look-up outlives the resolver's patience (${as.name})`, async (t) =>
    onTerminal(
      t,
      `${curl} https://ok.example/; ${curl} https://other.example/; echo "end $?"`,
      async (terminal) => {
        await terminal.shows('"ok.example" on port 443; "curl"');
        // A resolver gives up after twice five seconds. Stopped, it does not.
        await new Promise((resolve) => setTimeout(resolve, 11_000));
        await answer(terminal, 'y');
        await terminal.shows('"other.example" on port 443');
        assert.match(terminal.screen(), /reached Host: ok\.example/);
        await answer(terminal, 'n');
        await terminal.shows(/end [1-9]/);
        await terminal.code;
        assert.match(terminal.screen(), /blocked: curl .*"other\.example"/);
      },
      {as},
    ));

test('network questions: with CI set nothing is asked, and the refusal says what would allow the name', async (t) =>
  onTerminal(
    t,
    `${curl} https://ok.example/; echo "end $?"`,
    async (terminal) => {
      await terminal.shows(/end [1-9]/);
      await terminal.code;
      assert.doesNotMatch(terminal.output(), /Allow\?/);
      assert.match(terminal.screen(), /for this run: --set sandbox\.network\.allow\+=ok\.example;/);
    },
    {env: {CI: '1'}},
  ));

/** Programs of the run that would spoil the question. */
const spoilers: readonly {readonly name: string; readonly script: string}[] = [
  {name: 'read the keys', script: "open('keys', 'w').write(open('/dev/tty').readline())"},
  {
    name: 'write over it',
    script:
      "import time\nwhile True: open('/dev/tty', 'w').write('\\x1b[Hion: approval needed: harmless.example'); time.sleep(0.001)",
  },
  {
    name: 'fork away from the signal',
    script: "import os\nwhile True:\n    if os.fork(): os._exit(0)\n    open('/dev/tty', 'w').write('#')",
  },
  {
    // A tracer has stopped the first thread; the second one writes.
    name: 'write from a thread of a stopped process',
    script: `import ctypes, os, threading, time
def write():
    while True: open('/dev/tty', 'w').write('#'); time.sleep(0.01)
child = os.fork()
if child == 0:
    threading.Thread(target=write).start()
    time.sleep(1000)
time.sleep(0.2)
PTRACE_ATTACH = 16
assert ctypes.CDLL(None).ptrace(PTRACE_ATTACH, child, None, None) == 0
time.sleep(1000)`,
  },
];

test('network questions: a yes does not count if the run has written over the question', async (t) =>
  onTerminal(
    t,
    'python3 spoil.py & sleep 1; getent ahosts ok.example; echo "end $?"',
    async (terminal) => {
      await terminal.shows(/Allow\? y once .* N no: (harmless\.example)+\s*$/);
      terminal.type('y');
      await terminal.shows('harmless.exampley');
      terminal.keys('Enter');
      await terminal.shows(/end 2/);
      await terminal.code;
      assert.match(
        terminal.screen(),
        /ion: denied: the answer does not count, because the command has ended or run/,
      );
      assert.match(terminal.screen(), /blocked: getent .*"ok\.example"/);
    },
    {files: {'spoil.py': continuedByTimer}},
  ));

for (const {name, script} of spoilers)
  test(`network questions: the run cannot ${name}`, async (t) =>
    onTerminal(
      t,
      'python3 spoil.py & sleep 1; getent ahosts ok.example; echo "end $?"',
      async (terminal, {work}) => {
        await terminal.shows(/Allow\? y once .* N no:\s*$|end \d/);
        // A tree that cannot be stopped is not asked about.
        if (/end 2/.test(terminal.screen())) return assert.doesNotMatch(terminal.output(), /Allow\?/);
        const before = terminal.output();
        await new Promise((resolve) => setTimeout(resolve, 600));
        assert.equal(terminal.output(), before);
        await answer(terminal, 'y');
        await terminal.shows(/end 0/);
        await terminal.code;
        if (script.includes('keys')) assert.equal(readFileSync(path.join(work, 'keys'), 'utf8'), '');
      },
      {files: {'spoil.py': script}},
    ));

test('network questions: Ctrl-C at the question is a no', async (t) =>
  onTerminal(t, 'getent ahosts ok.example; echo "end $?"', async (terminal) => {
    await terminal.shows(question);
    await new Promise((resolve) => setTimeout(resolve, 600));
    terminal.keys('C-c');
    await terminal.shows(/end 2/);
    assert.equal(await terminal.code, 0);
  }));

test('network questions: the time limit stands still while a question stands', async (t) =>
  onTerminal(
    t,
    'getent ahosts ok.example; echo "end $?"; sleep 60',
    async (terminal) => {
      await terminal.shows(question);
      await new Promise((resolve) => setTimeout(resolve, 4000));
      await answer(terminal, 'y');
      await terminal.shows('end 0');
      await terminal.shows('timed out');
      assert.equal(await terminal.code, 124);
    },
    {args: ['run', '--config', 'ask.toml', '--timeout', '3s']},
  ));

test('network questions: at the prompt, the question has the terminal, and then the command again', async (t) =>
  onTerminal(
    t,
    undefined,
    async (terminal) => {
      await terminal.shows(/\S/);
      terminal.line('getent ahosts ok.example; read -r line; echo "got $line"; sleep 2');
      await terminal.shows('"ok.example" on port 443');
      await answer(terminal, 'y');
      await terminal.shows(/STREAM ok\.example/);
      terminal.line('more');
      await terminal.shows('got more');
      await new Promise((resolve) => setTimeout(resolve, 300));
      terminal.keys('C-c');
      await new Promise((resolve) => setTimeout(resolve, 500));
      terminal.line('echo again $((1+1))');
      await terminal.shows('again 2');
    },
    {files: {'~/.ion/config.toml': config}, args: []},
  ));

/** What the command does beside its question. The shell's SIGCONT continues it too, for a moment, before ion asks again. */
const writers = {
  'to its streams': 'while sleep 0.1; do echo tick; done & getent ahosts ok.example; kill %1; echo "end $?"',
  'over the question':
    'python3 write.py & sleep 0.3; getent ahosts ok.example; kill -9 %1; echo; echo "end $?"',
};
for (const [where, script] of Object.entries(writers))
  test(`network questions: after Ctrl-Z and fg the question stands again, and the command that writes ${where} is stopped`, async (t) =>
    onTerminal(
      t,
      undefined,
      async (terminal) => {
        await terminal.shows('$');
        terminal.line('go');
        await terminal.shows(question);
        await new Promise((resolve) => setTimeout(resolve, 600));
        terminal.keys('C-z');
        await terminal.shows(/Stopped/);
        terminal.line('clear; fg');
        await terminal.shows(question);
        const before = terminal.output();
        await new Promise((resolve) => setTimeout(resolve, 1500));
        assert.equal(terminal.output(), before);
        await answer(terminal, 'y');
        await terminal.shows(/end 0/);
      },
      {
        files: {
          'write.py': "while True: open('/dev/tty', 'w').write('\\x1b[Hharmless.example ')",
          'run.sh': `PS1='$ '; go() { ${process.execPath} ${ionFile} run --config ask.toml '${script}'; }`,
        },
        args: ['INTERACTIVE'],
      },
    ));
