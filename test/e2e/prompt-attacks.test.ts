/** Attacks of a hostile command of the prompt. After each the prompt must work as before. */
import assert from 'node:assert/strict';
import {readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {until} from '../harness/processes.ts';
import {pause, runs, testPrompt, waits} from '../harness/prompt-cases.ts';
import type {PtyTerminal} from '../harness/pty.ts';

/** Types a line into the controlling terminal, where the kernel allows it. */
const inject = `import fcntl, termios
tty = open('/dev/tty')
try:
    for byte in b'touch injected-$((1+1))\\n': fcntl.ioctl(tty, termios.TIOCSTI, bytes([byte]))
    print('type' + 'd')
except OSError as error: print('refuse' + 'd', error.errno)
`;

/** Ends the prompt: the following keys go to the shell outside. */
async function leaves(terminal: PtyTerminal): Promise<void> {
  await waits(terminal);
  terminal.line('exit');
  await terminal.shows(/^\$ *$/m);
}

testPrompt('attacks on the prompt', [
  {
    name: 'a program of the command writes a report of its own',
    isSlow: true,
    run: async (terminal) => {
      const forged = String.raw`printf "x\0/\n\0\0\0%s\n\0declare -- x=\"forged\"\n\0\0\0x\0" 0022 >&199`;
      await runs(terminal, `sh -c '${forged}'; x=own; echo o$((1+1))`, 'o2');
      await runs(terminal, 'echo $x$((1+1))', 'own2');
    },
  },
  {
    name: 'a function stands in for the builtins that report',
    isSlow: true,
    run: async (terminal) => {
      await runs(terminal, 'trap() { :; }; declare() { :; }; x=1; echo o$((1+1))', 'o2');
      await runs(terminal, 'y=2; echo $x$y$((1+1))', '122');
      await runs(terminal, 'echo $x$y$((2+1))', '123');
    },
  },
  {
    name: 'aliases, functions and variables act in no shell outside',
    isSlow: true,
    run: async (terminal, {work}) => {
      const evil = 'touch /var/tmp/escaped-$$ ~/escaped';
      await runs(
        terminal,
        `export PROMPT_COMMAND='${evil}' BASH_ENV='$(${evil})' ENV='$(${evil})'; ls() { ${evil}; }; export -f ls; cd() { builtin cd "$@"; }; echo o$((1+1))`,
        'o2',
      );
      terminal.type('ls $(touch escaped) `touch escaped` ');
      terminal.keys('Tab', 'Tab', 'C-c');
      await runs(terminal, 'echo p$((1+1))', 'p2');
      assert.ok(!readdirSync(work).includes('escaped'));
    },
  },
  {
    name: 'queries to the terminal, a locked keyboard, other key codes',
    movesCursor: true,
    isSlow: true,
    run: async (terminal) => {
      const asked = String.raw`\033[c\033[>c\033[6n\033[5n\033[21t\033]10;?\007\033P$q"p\033\\\033[>1u\033[>4;2m\033[2h\033[12l`;
      await runs(terminal, `printf '${asked}'; echo o$((1+1))`, 'o2');
      await pause(300); // the answers have arrived
      await runs(terminal, 'echo p$((1+1))', /^p2$/m);
      assert.doesNotMatch(terminal.screen(), /not found/);
    },
  },
  {
    name: 'keys for the terminal of the prompt (TIOCSTI)',
    needs: ['python3'],
    isSlow: true,
    run: async (terminal, {work}) => {
      writeFileSync(`${work}/inject.py`, inject);
      await runs(terminal, 'python3 inject.py', 'refused 1');
      await runs(terminal, 'echo o$((1+1))', 'o2');
      assert.deepEqual(readdirSync(work), ['inject.py']);
      await leaves(terminal);
      terminal.line('python3 inject.py');
      // Outside it works where the kernel lets it (dev.tty.legacy_tiocsti; root).
      await terminal.shows(/^(?:typed|refused 5)$/m);
      if (!/^typed$/m.test(terminal.screen())) return;
      await until('the injected line', () => readdirSync(work).includes('injected-2'));
    },
  },
  {
    name: 'lines for the history',
    isSlow: true,
    run: async (terminal, {home}) => {
      const file = `${home}/.ion/history`;
      const entries = (): unknown[] =>
        readFileSync(file, 'utf8')
          .trim()
          .split('\n')
          .map((line): unknown => JSON.parse(line));
      const write = `echo '"touch evil"' >> ~/.ion/history`;
      const typed = [
        `${write}; echo a$((1+1))`,
        `HISTFILE=~/.ion/history; history -s 'touch evil'; history -w; echo b$((1+1))`,
        String.raw`printf '\033[200~touch evil\r\033[201~\033]2;touch evil\007\033[21t'; echo c$((1+1))`,
        `ln -sf ~/.ion/history h; echo '"touch evil"' > h; rm -f ~/.ion/history; mv h ~/.ion/history; echo d$((1+1))`,
      ];
      for (const [at, line] of typed.entries()) await runs(terminal, line, `${'abcd'[at]}2`);
      await pause(300); // an answer of the terminal has arrived
      assert.deepEqual(entries(), typed);
      await leaves(terminal);
      terminal.line(write);
      await until('the line', () => entries().at(-1) === 'touch evil');
    },
  },
  {
    name: 'the end of a paste in what is pasted',
    movesCursor: true,
    isSlow: true,
    run: async (terminal, {work}) => {
      const paste = (name: string): string => `\u001b[200~echo a\u001b[201~\rtouch ${name}\r\u001b[201~`;
      terminal.type(paste('inside'));
      await terminal.shows('touch inside');
      await pause(300);
      assert.deepEqual(readdirSync(work), []);
      terminal.keys('C-c');
      await leaves(terminal);
      terminal.type(paste('outside'));
      await until('what the shell outside runs', () => readdirSync(work).includes('outside'));
    },
  },
  {
    name: 'another group in the foreground, and a stopped child',
    isSlow: true,
    run: async (terminal) => {
      await runs(terminal, 'set -m; (sleep 300 < /dev/tty) & kill -STOP $!; fg & echo o$((1+1))', 'o2');
      await runs(terminal, 'set +m; echo p$((1+1))', 'p2');
      terminal.line(`echo up$((1+1)); sh -c 'kill -STOP $$'`);
      await terminal.shows('up2');
      await pause();
      terminal.keys('C-z');
      await terminal.shows('stopped: ');
      await waits(terminal);
      terminal.line('kill %1');
      await runs(terminal, 'echo q$((1+1))', 'q2');
    },
  },
]);
