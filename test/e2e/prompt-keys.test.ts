/**
 * Random keys at the prompt. They must not crash it, block the terminal, or answer a question that came after them.
 * ION_TEST_FULL=1 types 10,000 sequences; ION_TEST_SEED repeats those of a failure.
 */
import assert from 'node:assert/strict';
import {existsSync, readFileSync, rmSync} from 'node:fs';
import {test, type TestContext} from 'node:test';
import {howMany} from '../harness/extent.ts';
import {plain} from '../harness/identity.ts';
import {ionFile} from '../harness/package.ts';
import {sleep, until} from '../harness/processes.ts';
import {openPty, type PtyTerminal} from '../harness/pty.ts';
import {makeScratch, type Scratch} from '../harness/scratch.ts';

const count = howMany({quick: 10, whole: 200, full: 10_000});
/** The prompts run side by side, because a prompt mostly waits. */
const lanes = howMany({quick: 1, whole: 4, full: 10});
const first = Number(process.env['ION_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** A small generator (mulberry32), so that a seed repeats a failure. */
function randomFrom(start: number): (below: number) => number {
  let state = start;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const escape = '\u001b';

/** Lines that ask, stop, wait, read the terminal or leave it in a bad state. `made` appears only after a yes. */
const lines: readonly string[] = [
  ...[
    'touch made',
    'touch made',
    'touch made &',
    'cat',
    'ls',
    'pwd',
    'sleep 9',
    'read x',
    'x=1',
    'cd ..',
    'cd -',
  ],
  ...[
    'stty raw -echo',
    'printf "\\033[6n\\033[c\\033]0;x"',
    'kill -STOP $$',
    'for x in 1 2; do',
    'echo "',
    '\\',
    'cat <<E',
  ],
  ...[
    '/mode',
    '/mode read',
    '/why',
    '/permissions',
    '/allow',
    '/nothing',
    'jobs',
    'fg',
    'bg',
    'fg 9',
    ' echo é漢👩‍👧',
  ],
];

/** Keys, answers to queries, pastes, and pieces of sequences. */
const pieces: readonly string[] = [
  ...[
    'y\r',
    'n\r',
    's\r',
    'w\r',
    'u\r',
    'y',
    '\r',
    '\r',
    '\n',
    '\t',
    '\t\t',
    `${escape}\r`,
    escape,
    `${escape}${escape}`,
  ],
  ...'abcdefghijklmnopqrstuvwxyz'.split('').map((letter) => String.fromCharCode(letter.charCodeAt(0) - 96)),
  ...['\u001f', '\u001c', '\u001d', '\u0000', '\u007f', '\u009b', '\u0085', '\ufeff', '\u202e', '\ud83d'],
  ...[
    'A',
    'B',
    'C',
    'D',
    'H',
    'F',
    'Z',
    '3~',
    '1;5C',
    '1;5D',
    '200~',
    '201~',
    'I',
    'O',
    '<0;1;1M',
    '12;40R',
    '?1;2c',
    '99',
  ].map((end) => `${escape}[${end}`),
  ...['OA', 'b', 'f', 'd', '<', '>', ']0;title', ']11;rgb:0/0/0\u0007', 'P1$r0m', '\\', '[', '[1;'].map(
    (end) => escape + end,
  ),
  ...['a', 'x y', "'", '"', '$(', '`', '|', '#', '漢字', 'e\u0301', '👩‍👧', '~/', './', '*', 'x'.repeat(300)],
  `${escape}[200~touch made\ny\n${escape}[201~`,
];

/** Ctrl-D and Ctrl-Z are rare: Ctrl-D ends the prompt, and Ctrl-Z only adds stopped commands. */
function sequence(random: (below: number) => number): string {
  const some = (from: readonly string[]): string => from[random(from.length)]!;
  return Array.from({length: 1 + random(14)}, () =>
    random(5) === 0 ? `${some(lines)}\r` : some(pieces),
  ).join('');
}

/** Ends whatever the keys have begun, and checks that the prompt still runs a line. */
async function recovers(terminal: PtyTerminal, typed: string): Promise<'alive' | 'ended'> {
  let ended = false;
  void terminal.code.then(() => (ended = true));
  for (let tries = 0; tries < 60; tries++) {
    const from = terminal.output().length;
    // A question takes keys only after a silence.
    if (/Allow\?[^:]*: *$/.test(terminal.screen().trimEnd())) await sleep(350);
    // The end of a paste and of a string, Ctrl-Q after Ctrl-S, Ctrl-C for a line, a question or a command.
    terminal.type(`${escape}[201~\u0007\u0011\u0003`);
    await sleep(Math.min(10 + tries * 10, 300));
    terminal.type(`\u0003/mode\r`);
    const isBack = (): boolean =>
      ended || /\[(?:read|write)\](?: write)?\r+\n/.test(terminal.output().slice(from));
    if (await until('the prompt', isBack, 100 + tries * 50).catch(() => false))
      return ended ? 'ended' : 'alive';
  }
  return assert.fail(`the prompt does not answer after ${JSON.stringify(typed)}:\n${terminal.screen()}`);
}

async function open(scratch: Scratch): Promise<PtyTerminal> {
  // The shell must outlive a Ctrl-C that arrives between two readers of the terminal. Ctrl-C also drops output, so its last
  // words go to a file.
  const start = `trap : INT QUIT TSTP; before=$(stty -g); '${process.execPath}' '${ionFile}'; rc=$?; trap "" INT QUIT TSTP; [ "$before" = "$(stty -g)" ] && rc="$rc same"; echo "$rc" > '${scratch.home}/ended'`;
  const terminal = openPty(scratch, plain, {columns: 60, rows: 20, argv: ['sh', '-c', start]});
  await until('the prompt', () => terminal.output().includes(' write · '));
  return terminal;
}

/** Leaves the prompt. Earlier keys may still lead to a question, which drops the keys typed with them. So it tries again. */
async function leave(scratch: Scratch, terminal: PtyTerminal, typed: string): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    terminal.type('\u0003exit\rexit\r');
    if (await until('the end', () => hasEnded(scratch), 1000).catch(() => false)) break;
    if ((await recovers(terminal, typed)) === 'ended') break;
  }
  await endsWell(scratch, terminal, typed);
}

const hasEnded = ({home}: Scratch): boolean => existsSync(`${home}/ended`);

/** The keys have ended the prompt. It must report that, and leave the terminal as it was. */
async function endsWell(scratch: Scratch, terminal: PtyTerminal, typed: string): Promise<void> {
  const shown = (): string => `after ${JSON.stringify(typed)} the terminal shows:\n${terminal.screen()}`;
  await until('the end of the prompt', () => hasEnded(scratch)).catch((error: Error) =>
    assert.fail(`${error.message}; ${shown()}`),
  );
  await terminal.code;
  const ended = readFileSync(`${scratch.home}/ended`, 'utf8');
  rmSync(`${scratch.home}/ended`);
  assert.match(ended, /^\d+ same\n$/, shown());
  assert.ok(!/a bug in ion|Error: /.test(terminal.output()), shown());
}

async function typeAll(t: TestContext, seed: number): Promise<void> {
  const scratch = makeScratch(t, plain, {'~/.ion/config.toml': '[permissions]\napproval = "ask"\n'});
  const random = randomFrom(seed);
  let terminal = await open(scratch);
  let restarts = 0;
  try {
    for (let number = 0; number < count / lanes; number++) {
      const typed = sequence(random);
      const begun = Date.now();
      const half = random(typed.length + 1);
      terminal.type(typed.slice(0, half));
      await sleep(random(8));
      terminal.type(typed.slice(half));
      if (random(20) === 0) terminal.resize(10 + random(100), 3 + random(30));
      const isPrompt = Date.now() - begun < 150; // else the keys were typed slowly, and may have answered
      const state = await recovers(terminal, typed);
      assert.ok(!isPrompt || !existsSync(`${scratch.work}/made`), `answered by ${JSON.stringify(typed)}`);
      if (state === 'alive' && number % 500 < 499) continue;
      await (state === 'alive' ? leave : endsWell)(scratch, terminal, typed);
      await terminal.close();
      terminal = await open(scratch);
      restarts++;
    }
    await leave(scratch, terminal, 'exit');
    t.diagnostic(`${count / lanes} sequences, seed ${seed}, ${restarts} restarts`);
  } finally {
    await terminal.close();
  }
}

test(`prompt: ${count} random sequences of keys`, {concurrency: true}, async (t) => {
  const seeds = Array.from({length: lanes}, (_, lane) => first + lane);
  await Promise.all(seeds.map((seed) => t.test(`from seed ${seed}`, (each) => typeAll(each, seed))));
});
