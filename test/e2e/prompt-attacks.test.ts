/** What a hostile command of the prompt tries, and that the prompt after it is as before. */
import assert from 'node:assert/strict';
import {readdirSync} from 'node:fs';
import {pause, runs, testPrompt, waits} from '../harness/prompt-cases.ts';

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
