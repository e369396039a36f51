import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import assert from 'node:assert/strict';
import {openTerminal} from '../../../../src/session/ask/terminal.ts';

/** The prompt on a real terminal: this file runs itself in tmux and sends keys to it. */

const outcomeFile = process.env['ION_TEST_OUTCOME'];
if (outcomeFile !== undefined) {
  const terminal = openTerminal({environment: {}, home: process.env['HOME']});
  // As on a busy machine: it shows the question and then blocks.
  const heldUp = (): void =>
    void Atomics.wait(
      new Int32Array(new SharedArrayBuffer(4)),
      0,
      0,
      Number(process.env['ION_TEST_HELD'] ?? 0),
    );
  const text = (): string => {
    process.nextTick(heldUp);
    return 'Allow? ';
  };
  const refuse = (line: string): string | undefined =>
    line === process.env['ION_TEST_REFUSE'] ? `not ${line}\nAllow? ` : undefined;
  const typed = terminal && (await terminal.readLine(text, Number(process.env['ION_TEST_TIMEOUT']), refuse));
  writeFileSync(`${outcomeFile}.new`, JSON.stringify(typed ?? 'no terminal'));
  execFileSync('mv', [`${outcomeFile}.new`, outcomeFile]);
  process.exit(0);
}

const missing = spawnSync('tmux', ['-V']).status === 0 ? false : 'tmux is not installed';
if (missing && process.env['ION_TEST_MUST_RUN'] === '1') throw new Error(missing);

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until<T>(look: () => T | undefined): Promise<T> {
  for (let tries = 0; tries < 200; tries++) {
    const found = look();
    if (found !== undefined) return found;
    await pause(50);
  }
  throw new Error('it did not happen in ten seconds');
}

interface Prompt {
  keys(...keys: readonly string[]): void;
  screen(): string;
  outcome(): Promise<unknown>;
}

async function prompt(context: TestContext, {timeoutMs = 20_000, before = ''} = {}): Promise<Prompt> {
  const folder = mkdtempSync(path.join(tmpdir(), 'ion-tmux-'));
  const socket = path.join(folder, 'socket');
  const outcome = path.join(folder, 'outcome');
  const tmux = (...args: readonly string[]): string =>
    execFileSync('tmux', ['-S', socket, ...args], {encoding: 'utf8'});
  const program = `HOME=${folder} ION_TEST_OUTCOME=${outcome} ION_TEST_TIMEOUT=${timeoutMs} ${process.execPath} ${process.argv[1]!}`;
  tmux(
    '-f',
    '/dev/null',
    'new-session',
    '-d',
    '-x',
    '100',
    '-y',
    '30',
    `${before}NODE_TEST_CONTEXT= CI= ${program}; stty -a > ${outcome}.stty; cat`,
  );
  context.after(() => {
    spawnSync('tmux', ['-S', socket, 'kill-server']);
    rmSync(folder, {recursive: true, force: true});
  });
  const one: Prompt = {
    keys: (...keys) => void tmux('send-keys', ...keys),
    screen: () => tmux('capture-pane', '-p'),
    outcome: async () => {
      // The shell creates the file before stty has written it.
      await until(() =>
        existsSync(`${outcome}.stty`) && statSync(`${outcome}.stty`).size > 0 ? true : undefined,
      );
      // The terminal is restored: lines are edited and echoed again.
      assert.match(readFileSync(`${outcome}.stty`, 'utf8'), /[^-]icanon[^]*[^-]echo /);
      return JSON.parse(readFileSync(outcome, 'utf8'));
    },
  };
  await until(() => (one.screen().includes('Allow?') ? true : undefined));
  await pause(500);
  return one;
}

test('a line is echoed, edited and accepted on Enter', {skip: missing}, async (context) => {
  const one = await prompt(context);
  one.keys('x', 'BSpace', 'y');
  await until(() => (one.screen().includes('Allow? y') ? true : undefined));
  one.keys('Enter');
  assert.deepEqual(await one.outcome(), {line: 'y'});
});

test('Ctrl-C cancels, and the terminal is restored', {skip: missing}, async (context) => {
  const one = await prompt(context);
  one.keys('y', 'C-c');
  assert.deepEqual(await one.outcome(), {why: 'cancelled'});
});

test('so does Ctrl-\\', {skip: missing}, async (context) => {
  const one = await prompt(context);
  one.keys('y', 'C-\\');
  assert.deepEqual(await one.outcome(), {why: 'cancelled'});
});

test(
  'Ctrl-Z shows the question again where no shell could continue a stopped process',
  {skip: missing},
  async (context) => {
    const one = await prompt(context);
    one.keys('n', 'C-z');
    await until(() => (one.screen().split('Allow?').length === 3 ? true : undefined));
    await pause(300);
    one.keys('y', 'Enter');
    assert.deepEqual(await one.outcome(), {line: 'y'});
  },
);

test('arrow keys are not answers', {skip: missing}, async (context) => {
  const one = await prompt(context);
  one.keys('Up', 'Left', 'n', 'Enter');
  assert.deepEqual(await one.outcome(), {line: 'n'});
});

test('a time-out ends the question', {skip: missing}, async (context) => {
  const one = await prompt(context, {timeoutMs: 1500});
  assert.deepEqual(await one.outcome(), {why: 'timed_out'});
});

test('keys typed before the question do not count', {skip: missing}, async (context) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ion-early-'));
  context.after(() => rmSync(folder, {recursive: true}));
  // The pane types "y" to itself while no process reads, and then asks.
  const socket = path.join(folder, 'socket');
  const outcome = path.join(folder, 'outcome');
  const go = path.join(folder, 'go');
  const program = `while ! test -e ${go}; do sleep 0.05; done; HOME=${folder} NODE_TEST_CONTEXT= CI= ION_TEST_OUTCOME=${outcome} ION_TEST_TIMEOUT=2500 ${process.execPath} ${process.argv[1]!}; sleep 60`;
  execFileSync('tmux', ['-S', socket, '-f', '/dev/null', 'new-session', '-d', program]);
  context.after(() => void spawnSync('tmux', ['-S', socket, 'kill-server']));
  execFileSync('tmux', ['-S', socket, 'send-keys', 'y', 'Enter', 'y']);
  await pause(200);
  writeFileSync(go, '');
  await until(() => (existsSync(outcome) ? true : undefined));
  assert.deepEqual(JSON.parse(readFileSync(outcome, 'utf8')), {why: 'timed_out'});
});

test('keys typed while ion was blocked do not count either', {skip: missing}, async (context) => {
  const one = await prompt(context, {timeoutMs: 3000, before: 'export ION_TEST_HELD=1500; '});
  one.keys('y', 'Enter');
  assert.deepEqual(await one.outcome(), {why: 'timed_out'});
});

/** Types "y" and Enter without a pause, from before the question until a second after it. Prints its longest pause. */
const typist = `
import os, pty, sys, time, select
pid, terminal = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
seen, shown, last, longest = b'', None, time.monotonic(), 0
while shown is None or time.monotonic() - shown < 1:
    os.write(terminal, b'y\\r')
    now = time.monotonic()
    longest, last = max(longest, now - last), now
    if select.select([terminal], [], [], 0.02)[0]: seen += os.read(terminal, 4096)
    if shown is None and b'Allow?' in seen: shown = time.monotonic()
try:
    while os.read(terminal, 4096): pass
except OSError: pass
print(longest)
`;

test(
  'a continuous stream of keys does not answer: keys count only after silence',
  {skip: missing},
  (context) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'ion-typist-'));
    context.after(() => rmSync(folder, {recursive: true}));
    const outcome = path.join(folder, 'outcome');
    // On a busy machine the typist itself may have paused. Then the test tries again.
    for (let tries = 0; tries < 5; tries++) {
      const {stdout} = spawnSync('python3', ['-c', typist, process.execPath, process.argv[1]!], {
        env: {
          ...process.env,
          HOME: folder,
          CI: '',
          NODE_TEST_CONTEXT: '',
          ION_TEST_OUTCOME: outcome,
          ION_TEST_TIMEOUT: '2000',
        },
        encoding: 'utf8',
      });
      if (Number(stdout) > 0.15) continue;
      assert.deepEqual(JSON.parse(readFileSync(outcome, 'utf8')), {why: 'timed_out'});
      return;
    }
    assert.fail('the machine is too busy to type');
  },
);

test('after an invalid line ion asks again', {skip: missing}, async (context) => {
  const one = await prompt(context, {before: 'export ION_TEST_REFUSE=x; '});
  one.keys('x', 'Enter');
  await until(() => (one.screen().includes('not x') ? true : undefined));
  await pause(500);
  one.keys('y', 'Enter');
  assert.deepEqual(await one.outcome(), {line: 'y'});
});

test('without a terminal there is no one to ask', {skip: missing}, (context) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ion-none-'));
  context.after(() => rmSync(folder, {recursive: true}));
  const outcome = path.join(folder, 'outcome');
  spawnSync('setsid', ['-w', process.execPath, process.argv[1]!], {
    env: {...process.env, ION_TEST_OUTCOME: outcome, ION_TEST_TIMEOUT: '1000', NODE_TEST_CONTEXT: '', CI: ''},
    stdio: 'ignore',
  });
  assert.equal(JSON.parse(readFileSync(outcome, 'utf8')), 'no terminal');
});
