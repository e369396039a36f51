import assert from 'node:assert/strict';
import {mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {testOnce} from '../harness/cases.ts';
import {until} from '../harness/processes.ts';
import {pause, runs, testPrompt, waits} from '../harness/prompt-cases.ts';

testOnce('prompt', [
  {
    name: 'without a terminal it says how to run a command',
    args: [],
    stderr: 'ion: the prompt needs a terminal\nhelp: usage: ion run "<bash command>"\n',
    code: 125,
  },
]);

testPrompt('prompt', [
  {
    name: 'the state of a command lasts, and the folder',
    run: async (terminal) => {
      await runs(terminal, 'mkdir sub; cd sub; x=1; export Y=2; f() { echo f$((1+1)); }; alias a="f"', 'sub');
      await runs(terminal, 'a; echo v$x$Y; sh -c "echo w$Y"; basename $PWD', /^f2\nv12\nw2\nsub$/m);
      await runs(terminal, 'cd /root || cd /; echo now$((1+1))', 'now2');
      await runs(terminal, 'set -o pipefail; echo o$((1+1))', 'o2');
      await runs(terminal, 'false | true; echo p$?', 'p1');
    },
  },
  {
    name: 'a hint takes a path from the folder where the command started',
    run: async (terminal, {home}) => {
      writeFileSync(`${home}/other`, '');
      await runs(terminal, 'mkdir sub; cd sub; basename $PWD', /^sub$/m);
      await runs(terminal, 'cd ..; cat no$((1+1))', /no2: No such file/);
      assert.doesNotMatch(terminal.screen(), /outside the read roots/);
      await runs(terminal, 'cd sub; basename $PWD', /^sub\n[^]*^sub$/m);
      await runs(terminal, 'cat ../../other', /"..\/..\/other"\s+is\s+outside\s+the\s+read\s+roots/);
    },
  },
  {
    name: 'a folder that commands cannot read is not kept',
    isSlow: true,
    run: async (terminal, {home}) => {
      mkdirSync(`${home}/other`);
      await runs(terminal, `cd ${home}/other; echo in$((1+1))`, /commands can/);
      await runs(terminal, 'basename $PWD', /^work$/m);
    },
  },
  {
    name: 'history: kept in ~/.ion for this user alone, and searched',
    movesCursor: true,
    isSlow: true,
    run: async (terminal, {home}) => {
      await runs(terminal, 'echo first$((1+1))', 'first2');
      await runs(terminal, ' echo secret$((1+1))', 'secret2');
      await runs(terminal, 'exit', /^\$ $/m);
      const file = `${home}/.ion/history`;
      assert.equal(readFileSync(file, 'utf8'), '"echo first$((1+1))"\n"exit"\n');
      assert.equal(statSync(file).mode & 0o777, 0o600);
      terminal.line('clear; ion');
      await until('the new prompt', () => terminal.screen().startsWith('ion: write'));
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
    isSlow: true,
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
    name: 'Shift+Tab changes the mode, and the sandbox obeys',
    movesCursor: true,
    isSlow: true,
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
    isSlow: true,
    run: async (terminal) => {
      await runs(terminal, 'ls() { echo mine$((1+1)); }; alias pwd=whoami; echo o$((1+1))', 'o2');
      await runs(terminal, 'ls', 'mine2');
      const before = terminal.output().length;
      await runs(terminal, '/mode read', '[read]');
      await runs(terminal, 'ls; echo l$((1+1))', 'l2');
      assert.doesNotMatch(terminal.output().slice(before), /mine2/);
      await runs(terminal, 'pwd', /^\S*work$/m);
    },
  },
  {
    name: 'in read mode the folder lasts, and the one before it',
    run: async (terminal) => {
      await runs(terminal, 'mkdir sub other; cd other; basename $PWD', /^other$/m);
      await runs(terminal, '/mode read', '[read]');
      await runs(terminal, 'cd -', /^\S*\/work$/m);
      await runs(terminal, 'cd sub', /sub \(read\)/);
      await runs(terminal, 'cd -; pwd', /^(\S*\/work)\n\1$/m);
      await runs(terminal, 'cd -; basename $PWD', /^sub$/m);
      await runs(terminal, '/mode write', '[write]');
      await runs(terminal, 'cd - >/dev/null; echo w$(basename $PWD)', 'wwork');
    },
  },
  {
    name: 'a function is judged by what it does',
    config: '[permissions]\ndeny_commands = ["git push*"]\n',
    run: async (terminal, {work}) => {
      await runs(terminal, 'p() { git push origin; }', 'denied: ');
      writeFileSync(`${work}/rc`, "alias p='git push'\n");
      await runs(terminal, '. ./rc; echo o$((1+1))', 'o2');
      await runs(terminal, 'p origin', /"p origin"|denied: [^]*denied: /);
      await runs(terminal, 'g() { git "$1" origin; }; echo p$((1+1))', 'p2');
      await runs(terminal, 'g push', /blocked|denied[^]*denied[^]*denied/);
    },
  },
  {
    name: 'the slash commands',
    isSlow: true,
    run: async (terminal) => {
      await runs(terminal, 'echo x > ~/refused-file', /outside|blocked/);
      await runs(terminal, 'clear', /[#$]/);
      const before = terminal.output().length;
      await runs(terminal, '/why', /asked by bash/);
      await waits(terminal);
      // An option of the command line does nothing at the prompt.
      assert.match(terminal.output().slice(before), /\/allow; for one prompt: ion --set sandbox/);
      assert.doesNotMatch(terminal.output(), /for this run/);
      await runs(terminal, '/help', 'Ctrl-R searches');
      await runs(terminal, '/permissions', 'latest decisions');
      await waits(terminal);
      terminal.line('/trust');
      await terminal.shows('y / N');
      await pause(1500); // what is typed before the question does not count
      terminal.line('n');
      await waits(terminal);
    },
  },
  {
    name: 'a dumb terminal gets a plain prompt',
    movesCursor: true, // it starts a dumb one itself
    isSlow: true,
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
    movesCursor: true,
    isSlow: true,
    start: 'NO_COLOR=1 ion',
    run: async (terminal) => {
      await runs(terminal, 'echo a$((1+1))', 'a2');
      const shown = terminal.output();
      // eslint-disable-next-line no-control-regex -- attributes are escape sequences
      assert.doesNotMatch(shown.slice(shown.indexOf('/help')), /\u001b\[[1-9][\d;]*m/);
    },
  },
  {
    name: 'the exit code of a command is $? of the next one',
    isSlow: true,
    run: async (terminal) => {
      await runs(terminal, '(exit 42)', /[#$]/);
      await runs(terminal, 'echo c$?', 'c42');
      await runs(terminal, 'echo c$?', 'c0');
    },
  },
  {
    name: 'a command whose state is lost is named, once',
    isSlow: true,
    run: async (terminal) => {
      await runs(terminal, 'x=kept; echo o$((1+1))', 'o2');
      await runs(terminal, 'x=lost; exec echo o$((2+1))', /could not report/);
      await runs(terminal, 'x=lost; trap "echo mine$((1+1))" EXIT', 'mine2');
      await runs(terminal, 'echo $x$((1+1))', 'kept2');
      assert.equal(terminal.scrollback().replaceAll(/\s+/g, ' ').split('could not report').length, 2);
    },
  },
  {
    name: 'advice is what can be typed at the prompt',
    isSlow: true,
    run: async (terminal) => {
      await runs(terminal, '/mode read', '[read]');
      await runs(terminal, 'touch made', /help: \/mode write$/m);
      await runs(terminal, '/mode write', '[write]');
      await runs(terminal, 'touch /usr/made', /blocked|Permission|Read-only/);
    },
  },
]);
