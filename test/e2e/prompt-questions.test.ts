import assert from 'node:assert/strict';
import {existsSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {until} from '../harness/processes.ts';
import {answers, pause, runs, testPrompt, waits} from '../harness/prompt-cases.ts';

testPrompt('questions of the prompt', [
  {
    name: 'a question is answered by keys after it, not by those before',
    config: '[permissions]\napproval = "ask"\n',
    run: async (terminal, {work}) => {
      await waits(terminal);
      terminal.line('touch made');
      terminal.keys('y', 'Enter');
      await terminal.shows(/Allow\?/);
      await pause(1500);
      assert.throws(() => statSync(`${work}/made`));
      terminal.keys('C-c');
      await terminal.shows('denied');
    },
  },
  {
    name: 'an answer for the session lasts over commands, modes and changed settings, and /permissions lists it',
    isSlow: true,
    config: '[permissions]\napproval = "ask"\n',
    run: async (terminal, {work, home}) => {
      await waits(terminal);
      terminal.line('echo n >> made');
      await answers(terminal, 's');
      await terminal.shows(/from now on/);
      await waits(terminal);
      const count = (): number => readFileSync(`${work}/made`, 'utf8').length / 2;
      const again = async (want: number): Promise<void> => {
        terminal.line('echo n >> made');
        await until('the next line of the file', () => count() === want).catch(() =>
          assert.fail(terminal.screen()),
        );
        await waits(terminal);
      };
      await again(2);
      await runs(terminal, '/mode read', '[read]');
      await runs(terminal, '/mode write', '[write]');
      await again(3);
      writeFileSync(`${home}/.ion/config.toml`, '# changed\n[permissions]\napproval = "ask"\n');
      await again(4);
      await runs(terminal, '/permissions', /allowed in this terminal session:\n\s+"bash echo n >> made"/);
    },
  },
  {
    name: 'a second run after a yes starts with the folder and variables of the first',
    config: '[permissions]\napproval = "on_failure"\n',
    run: async (terminal, {work}) => {
      await runs(terminal, 'mkdir sub; n=1; echo m$((1+1))', 'm2');
      terminal.line('n=$((n+1)); cd sub; echo n$n >> in; touch ../../made');
      await answers(terminal, 'y');
      await until('the file', () => existsSync(`${work}/../made`)).catch(() =>
        assert.fail(terminal.screen()),
      );
      await runs(terminal, 'basename $PWD; echo v$n', /^sub\nv2$/m);
      assert.equal(readFileSync(`${work}/sub/in`, 'utf8'), 'n2\nn2\n');
    },
  },
  {
    name: 'three refusals of one kind lead to a question',
    isSlow: true,
    config: '[permissions]\napproval = "plan"\n',
    run: async (terminal, {work}) => {
      for (let count = 1; count <= 3; count++)
        await runs(terminal, `touch made; # ${count}`, new RegExp(`# ${count}[^]*denied: `));
      terminal.line('touch made');
      await answers(terminal, 'y');
      await until('the file', () => existsSync(`${work}/made`)).catch(() => assert.fail(terminal.screen()));
      await waits(terminal);
    },
  },
]);
