import assert from 'node:assert/strict';
import {mkdirSync, writeFileSync} from 'node:fs';
import {runs, testPrompt, waits} from '../harness/prompt-cases.ts';

testPrompt('the line of the prompt', [
  {
    name: 'many lines while the grammar is open',
    run: async (terminal) => {
      terminal.line('for i in 1 2; do');
      await terminal.shows(/^> /m);
      terminal.line('echo n$((i+1))');
      terminal.line('done');
      await terminal.shows(/n2\nn3$/m);
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
    movesCursor: true,
    isSlow: true,
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
    name: 'completion of programs and paths',
    isSlow: true,
    movesCursor: true,
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
    isSlow: true,
    movesCursor: true,
    run: async (terminal) => {
      terminal.keys('Escape', '[200~echo one$((1+1))\necho two$((1+1))\n', 'Escape', '[201~');
      await terminal.shows('> echo two');
      assert.doesNotMatch(terminal.screen(), /^one2$/m);
      terminal.keys('Enter');
      await terminal.shows(/^one2\ntwo2$/m);
    },
  },
  {
    name: 'the status line leaves nothing behind, also when the size changes',
    movesCursor: true,
    isSlow: true,
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
    name: 'names with escape sequences do not reach the terminal',
    isSlow: true,
    run: async (terminal) => {
      await runs(terminal, "mkdir $'e\\033[2Jx'; cd $'e\\033[2Jx'; echo in$((1+1))", 'in2');
      await terminal.shows('e\\e[2Jx');
    },
  },
  {
    name: 'many lines leave no listener behind',
    isSlow: true,
    run: async (terminal) => {
      terminal.keys(...Array<string>(15).fill('Enter'));
      await runs(terminal, 'echo a$((1+1))', 'a2');
      assert.doesNotMatch(terminal.screen(), /Warning/);
    },
  },
]);
