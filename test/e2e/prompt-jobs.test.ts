import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {pause, runs, testPrompt, waits} from '../harness/prompt-cases.ts';

testPrompt('jobs of the prompt', [
  {
    name: 'Ctrl-C ends the command and not the prompt',
    run: async (terminal) => {
      terminal.line('x=kept; echo up$((1+1)); sleep 300');
      await terminal.shows('up2');
      await pause(300); // bash has begun to wait for its child
      terminal.keys('C-c');
      await waits(terminal);
      await runs(terminal, 'echo c$?', 'c130');
      await runs(terminal, 'echo $x$((1+1))', /^(?:kept)?2$/m);
      terminal.line('sleep 300 & echo up$((2+1)); wait');
      await terminal.shows('up3');
      await pause(300);
      terminal.keys('C-c');
      await terminal.shows(/\^C\nion: killed/);
    },
  },
  {
    name: 'Ctrl-Z stops, jobs lists, fg continues',
    run: async (terminal) => {
      terminal.line('echo up$((1+1)); read x; echo got$x$((1+1))');
      await terminal.shows('up2');
      terminal.keys('C-z');
      await terminal.shows('stopped: ');
      await runs(terminal, 'jobs; echo x$((1+1))', /"jobs"\s+in\s+this\s+line\s+is\s+bash's[^]*x2/);
      await runs(terminal, 'jobs', /\[1\] stopped/);
      terminal.line('fg');
      await terminal.shows('continued');
      terminal.line('in');
      await terminal.shows('gotin2');
      await runs(terminal, 'jobs', 'no command is stopped');
      terminal.line('echo up$((2+1)); exec sleep 300');
      await terminal.shows('up3');
      await pause(300);
      terminal.keys('C-z');
      await terminal.shows(/up3\n\^Z\nion: \[1\] stopped/);
      await runs(terminal, 'jobs; kill %1', /could not\s+report/);
      await runs(terminal, 'echo c$?', 'c143');
      await runs(terminal, 'history 3', /^(?: {2}.*\n)+ {2}history 3$/m);
    },
  },
  {
    name: 'a stopped command that ends later leaves the state of the commands since',
    run: async (terminal) => {
      terminal.line('mkdir sub; x=job; echo up$((1+1)); read y');
      await terminal.shows('up2');
      terminal.keys('C-z');
      await terminal.shows('stopped: ');
      await runs(terminal, 'x=kept; cd sub; basename $PWD', /^sub$/m);
      terminal.line('fg');
      await terminal.shows('continued');
      terminal.line('in');
      await runs(terminal, 'echo $x$((1+1)); basename $PWD', /^kept2\nsub$/m);
    },
  },
  {
    name: 'the end of the prompt ends stopped commands, after a warning',
    isSlow: true,
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
      await terminal.shows(/^\$ $/m);
      terminal.line('echo rc$?');
      await terminal.shows('rc7');
    },
  },
  {
    name: 'full-screen programs',
    movesCursor: true,
    isSlow: true,
    needs: ['vi'],
    run: async (terminal, {work}) => {
      await waits(terminal);
      terminal.line('vi -u NONE note');
      await terminal.shows('[New');
      terminal.keys('i', 'hello', 'Escape', ':wq', 'Enter');
      await runs(terminal, 'echo after$((1+1))', 'after2');
      assert.equal(readFileSync(`${work}/note`, 'utf8'), 'hello\n');
    },
  },
  {
    name: 'what is typed during a command is the next line',
    isSlow: true,
    run: async (terminal) => {
      terminal.line('echo up$((1+1)); sleep 1');
      await terminal.shows('up2');
      terminal.line('echo ahead$((1+1))');
      await terminal.shows(/ahead2$/m);
    },
  },
  {
    name: 'a command that leaves the terminal in a bad state',
    movesCursor: true,
    isSlow: true,
    run: async (terminal) => {
      await runs(
        terminal,
        "printf '\\033[?1049h\\033[8m\\033[2;3r\\033(0\\033[?25l\\033]0;t'; stty raw -echo; kill -9 $$",
        /exit 137|137/,
      );
      await runs(terminal, 'echo sane$((1+1))', /^sane2$/m);
    },
  },
]);
