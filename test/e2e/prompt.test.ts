import assert from 'node:assert/strict';
import {mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {test, type TestContext} from 'node:test';
import {testOnce} from '../harness/cases.ts';
import {testers, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {until} from '../harness/processes.ts';
import {makeScratch, type Scratch} from '../harness/scratch.ts';
import {openTerminal, type Terminal} from '../harness/terminal.ts';

interface Case {
  readonly name: string;
  readonly needs?: readonly string[];
  /** The line that starts ion. */
  readonly start?: string;
  readonly config?: string;
  readonly run: (terminal: Terminal, scratch: Scratch) => Promise<void>;
}

async function waits(terminal: Terminal): Promise<void> {
  await until('an empty prompt', () => /[#$] ?(?:\n \w+ ·[^\n]*)?\s*$/.test(terminal.screen())).catch(() =>
    assert.fail(`no prompt; the terminal shows:\n${terminal.screen()}`),
  );
}
/** Runs a line and waits for what it prints and for the next prompt. The output is computed, so the echo cannot match. */
async function runs(terminal: Terminal, line: string, prints: string | RegExp): Promise<void> {
  await waits(terminal);
  terminal.line(line);
  await terminal.shows(prints);
  await waits(terminal);
}

const cases: readonly Case[] = [
  {
    name: 'the state of a command lasts, and the folder',
    run: async (terminal) => {
      await runs(terminal, 'mkdir sub; cd sub; x=1; export Y=2; f() { echo f$((1+1)); }; alias a="f"', 'sub');
      await runs(terminal, 'a; echo v$x$Y; sh -c "echo w$Y"; basename $PWD', /^f2\nv12\nw2\nsub$/m);
      await runs(terminal, 'cd /root || cd /; echo now$((1+1))', 'now2');
      await runs(terminal, 'set -o pipefail; true', 'exit 0');
      await runs(terminal, 'false | true; echo p$?', 'p1');
    },
  },
  {
    name: 'a folder that commands cannot read is not kept',
    run: async (terminal, {home}) => {
      mkdirSync(`${home}/other`);
      await runs(terminal, `cd ${home}/other; echo in$((1+1))`, /commands can/);
      await runs(terminal, 'basename $PWD', /^work$/m);
    },
  },
  {
    name: 'many lines while the grammar is open',
    run: async (terminal) => {
      terminal.line('for i in 1 2; do');
      await terminal.shows(/^> /m);
      terminal.line('echo n$((i+1))');
      terminal.line('done');
      await terminal.shows(/^n2\nn3$/m);
      await waits(terminal);
      terminal.line('echo "a');
      await terminal.shows(/"a\n> /);
      terminal.line('b"');
      await terminal.shows(/^a\nb$/m);
      await waits(terminal);
      terminal.line('if true');
      await terminal.shows(/true\n> /);
      terminal.keys('C-c');
      await runs(terminal, 'echo after$((1+1))', 'after2');
    },
  },
  {
    name: 'the keys of a line',
    run: async (terminal) => {
      terminal.keys(
        'echo Xtwo',
        'C-a',
        'Right',
        'Right',
        'Right',
        'Right',
        'Right',
        'Delete',
        'one',
        'C-e',
        '$((1+1))',
        'Enter',
      );
      await terminal.shows('onetwo2');
      await waits(terminal);
      terminal.keys('Up', 'C-w', 'Up', 'Down', 'C-c');
      await runs(terminal, 'echo end$((1+1))', 'end2');
    },
  },
  {
    name: 'history: kept in ~/.ion for this user alone, and searched',
    run: async (terminal, {home}) => {
      await runs(terminal, 'echo first$((1+1))', 'first2');
      await runs(terminal, ' echo secret$((1+1))', 'secret2');
      await runs(terminal, 'exit', /^\$ $/m);
      const file = `${home}/.ion/history`;
      assert.equal(readFileSync(file, 'utf8'), '"echo first$((1+1))"\n"exit"\n');
      assert.equal(statSync(file).mode & 0o777, 0o600);
      terminal.line('clear; ion');
      await terminal.shows('/help');
      await waits(terminal);
      terminal.keys('C-r');
      terminal.keys('fir');
      await terminal.shows('(fir)');
      terminal.keys('Enter');
      await terminal.shows(/^first2$/m);
    },
  },
  {
    name: 'a command cannot read or write the history',
    run: async (terminal, {home}) => {
      await runs(terminal, 'echo first$((1+1))', 'first2');
      await runs(
        terminal,
        `cat ${home}/.ion/history; echo x >> ${home}/.ion/history; echo done$((1+1))`,
        'done2',
      );
      assert.doesNotMatch(terminal.screen(), /^"echo first/m);
      assert.doesNotMatch(readFileSync(`${home}/.ion/history`, 'utf8'), /^x$/m);
    },
  },
  {
    name: 'completion of programs and paths',
    run: async (terminal, {work}) => {
      writeFileSync(`${work}/a file`, 'content\n');
      mkdirSync(`${work}/folder`);
      terminal.keys('basena', 'Tab');
      await terminal.shows('basename ');
      terminal.keys('fo', 'Tab');
      await terminal.shows('basename folder/');
      terminal.keys('C-u', 'cat a', 'Tab');
      await terminal.shows('cat a\\ file');
      terminal.keys('Enter');
      await terminal.shows(/^content$/m);
      await waits(terminal);
      terminal.keys('C-u', '/perm', 'Tab');
      await terminal.shows('/permissions');
      terminal.keys('C-c');
    },
  },
  {
    name: 'a paste is one line until Enter',
    run: async (terminal) => {
      terminal.keys('Escape', '[200~echo one$((1+1))\necho two$((1+1))\n', 'Escape', '[201~');
      await terminal.shows('> echo two');
      assert.doesNotMatch(terminal.screen(), /^one2$/m);
      terminal.keys('Enter');
      await terminal.shows(/^one2\ntwo2$/m);
    },
  },
  {
    name: 'Shift+Tab changes the mode, and the sandbox obeys',
    run: async (terminal, {work}) => {
      await terminal.shows(' write ');
      terminal.keys('BTab');
      await terminal.shows(' read ');
      await runs(terminal, 'touch made', 'denied');
      await runs(terminal, 'pwd', /work/);
      terminal.keys('BTab');
      await terminal.shows(' write ');
      await runs(terminal, 'touch made; echo ok$((1+1))', 'ok2');
      assert.ok(statSync(`${work}/made`).isFile());
      await runs(terminal, '/mode read', '[read]');
      await runs(terminal, '/mode nothing', 'there is no mode');
    },
  },
  {
    name: 'in read mode no function of write mode acts',
    run: async (terminal) => {
      await runs(terminal, 'ls() { echo mine$((1+1)); }; alias pwd=whoami', 'exit 0');
      await runs(terminal, 'ls', 'mine2');
      terminal.keys('C-l');
      await until('an empty screen', () => !terminal.screen().includes('mine2'));
      await runs(terminal, '/mode read', '[read]');
      await runs(terminal, 'ls; echo l$((1+1))', 'l2');
      assert.doesNotMatch(terminal.screen(), /mine2/);
      await runs(terminal, 'pwd', /^\S*work$/m);
    },
  },
  {
    name: 'a function is judged by what it does',
    config: '[permissions]\ndeny_commands = ["git push*"]\n',
    run: async (terminal, {work}) => {
      await runs(terminal, 'p() { git push origin; }', 'denied: ');
      writeFileSync(`${work}/rc`, "alias p='git push'\n");
      await runs(terminal, 'clear; . ./rc', 'exit 0');
      await runs(terminal, 'p origin', 'denied: ');
      await runs(terminal, 'clear; g() { git "$1" origin; }', 'exit 0');
      await runs(terminal, 'g push', /blocked|denied/);
    },
  },
  {
    name: 'the status line leaves nothing behind, also when the size changes',
    run: async (terminal) => {
      for (const [columns, rows] of [
        [60, 20],
        [30, 10],
        [12, 5],
        [90, 30],
      ] as const) {
        terminal.keys('echo some words of a line that is longer than a small terminal $((1+1))');
        terminal.resize(columns, rows);
        terminal.keys('C-u');
        await runs(terminal, 'true', /[#$]/);
      }
      await runs(terminal, 'clear', /[#$]/);
      await runs(terminal, 'echo a$((1+1))', 'a2');
      await runs(terminal, 'echo b$((1+1))', 'b2');
      assert.equal(terminal.screen().split(' · net ').length - 1, 1, terminal.screen());
    },
  },
  {
    name: 'Ctrl-C ends the command and not the prompt',
    run: async (terminal) => {
      terminal.line('x=kept; echo up$((1+1)); sleep 300');
      await terminal.shows('up2');
      terminal.keys('C-c');
      await terminal.shows('exit 130');
      await runs(terminal, 'echo $x$((1+1))', /^(?:kept)?2$/m);
    },
  },
  {
    name: 'Ctrl-Z stops, jobs lists, fg continues',
    run: async (terminal) => {
      terminal.line('echo up$((1+1)); read x; echo got$x$((1+1))');
      await terminal.shows('up2');
      terminal.keys('C-z');
      await terminal.shows('stopped: ');
      await terminal.shows('1 stopped');
      await runs(terminal, 'echo other$((1+1))', 'other2');
      await runs(terminal, 'jobs', /\[1\] stopped/);
      terminal.line('fg');
      await terminal.shows('continued');
      terminal.line('in');
      await terminal.shows('gotin2');
      await runs(terminal, 'jobs', 'no command is stopped');
    },
  },
  {
    name: 'the end of the prompt ends stopped commands, after a warning',
    run: async (terminal) => {
      terminal.line('echo up$((1+1)); exec sleep 314');
      await terminal.shows('up2');
      terminal.keys('C-z');
      await terminal.shows('stopped: ');
      await waits(terminal);
      terminal.line('exit');
      await terminal.shows('there are stopped commands');
      await waits(terminal);
      terminal.line('exit 7');
      terminal.line('echo rc$?');
      await terminal.shows('rc7');
    },
  },
  {
    name: 'full-screen programs',
    needs: ['vi'],
    run: async (terminal, {work}) => {
      await waits(terminal);
      terminal.line('vi -u NONE note');
      await terminal.shows('~');
      terminal.keys('i', 'hello', 'Escape', ':wq', 'Enter');
      await runs(terminal, 'echo after$((1+1))', 'after2');
      assert.equal(readFileSync(`${work}/note`, 'utf8'), 'hello\n');
    },
  },
  {
    name: 'what is typed during a command is the next line',
    run: async (terminal) => {
      terminal.line('echo up$((1+1)); sleep 1');
      await terminal.shows('up2');
      terminal.line('echo ahead$((1+1))');
      await terminal.shows(/^ahead2$/m);
    },
  },
  {
    name: 'a command that leaves the terminal in a bad state',
    run: async (terminal) => {
      await runs(
        terminal,
        "printf '\\033[?1049h\\033[8m\\033[2;3r\\033(0\\033[?25l\\033]0;t'; stty raw -echo; kill -9 $$",
        /exit 137/,
      );
      await runs(terminal, 'echo sane$((1+1))', /^sane2$/m);
    },
  },
  {
    name: 'names with escape sequences do not reach the terminal',
    run: async (terminal) => {
      await runs(terminal, "mkdir $'e\\033[2Jx'; cd $'e\\033[2Jx'; echo in$((1+1))", 'in2');
      await terminal.shows('e\\e[2Jx');
    },
  },
  {
    name: 'a question is answered by keys after it, not by those before',
    config: '[permissions]\napproval = "ask"\n',
    run: async (terminal, {work}) => {
      await waits(terminal);
      terminal.line('touch made');
      terminal.keys('y', 'Enter');
      await terminal.shows(/Allow\?/);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      assert.throws(() => statSync(`${work}/made`));
      terminal.keys('C-c');
      await terminal.shows('denied');
    },
  },
  {
    name: 'many lines leave no listener behind',
    run: async (terminal) => {
      terminal.keys(...Array<string>(15).fill('Enter'));
      await runs(terminal, 'echo a$((1+1))', 'a2');
      assert.doesNotMatch(terminal.screen(), /Warning/);
    },
  },
  {
    name: 'the slash commands',
    run: async (terminal) => {
      await runs(terminal, 'echo x > ~/refused-file', /outside|blocked/);
      await runs(terminal, 'clear', /[#$]/);
      await runs(terminal, '/why', /refused-file/);
      await runs(terminal, '/help', 'Ctrl-R searches');
      await runs(terminal, '/permissions', 'latest decisions');
      await waits(terminal);
      terminal.line('/trust');
      await terminal.shows('y / N');
      await new Promise((resolve) => setTimeout(resolve, 1500)); // what is typed before the question does not count
      terminal.line('n');
      await waits(terminal);
    },
  },
  {
    name: 'a dumb terminal gets a plain prompt',
    start: 'TERM=dumb ion',
    run: async (terminal) => {
      await runs(terminal, 'x=1; echo a$((1+1))', 'a2');
      terminal.line('echo "b');
      await terminal.shows(/"b\n> /);
      terminal.line('$x"');
      await terminal.shows(/^b\n1$/m);
      await waits(terminal);
      assert.doesNotMatch(terminal.screen(), / · net /);
      terminal.keys('C-c');
      await runs(terminal, '/mode read', '[read]');
      terminal.keys('C-d');
      terminal.line('echo rc$?');
      await terminal.shows('rc');
    },
  },
  {
    name: 'NO_COLOR: no attributes',
    start: 'NO_COLOR=1 ion',
    run: async (terminal) => {
      await runs(terminal, 'echo a$((1+1))', 'a2');
      const shown = terminal.attributes();
      // eslint-disable-next-line no-control-regex -- attributes are escape sequences
      assert.doesNotMatch(shown.slice(shown.indexOf('/help')), /\u001b\[[1-9]/);
    },
  },
];

const sizes: readonly number[] = [40, 120];

async function onPrompt(
  t: TestContext,
  as: Identity,
  columns: number,
  {needs = [], start = 'ion', config, run}: Case,
): Promise<void> {
  if (!requireProgram(t, 'tmux', ...needs)) return;
  const scratch = makeScratch(t, as, config === undefined ? {} : {'~/.ion/config.toml': config});
  const terminal = openTerminal(scratch, as);
  try {
    await until('a shell', () => /\$ $/m.test(terminal.screen()));
    terminal.resize(columns, 30);
    terminal.line(start);
    await terminal.shows('/help');
    await waits(terminal);
    await run(terminal, scratch);
  } finally {
    await terminal.close();
  }
}

const isWhole = process.env['ION_TEST_WHOLE'] === '1';

for (const as of testers)
  cases.forEach((one, at) => {
    // In turn; in the whole suite each case on both.
    for (const columns of isWhole ? sizes : [sizes[at % sizes.length]!])
      test(`prompt: ${one.name} on ${columns} columns (${as.name})`, (t) => onPrompt(t, as, columns, one));
  });

testOnce('prompt', [
  {
    name: 'without a terminal it says how to run a command',
    args: [],
    stderr: 'ion: the prompt needs a terminal\nhelp: usage: ion run "<bash command>"\n',
    code: 125,
  },
]);
