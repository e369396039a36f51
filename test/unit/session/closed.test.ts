import assert from 'node:assert/strict';
import {test} from 'node:test';
import {closedMessages} from '../../../src/session/closed.ts';
import {analyze} from '../../../src/shell/analyze.ts';

/** After a run that failed: which lines are said, by a word of each. */
const cases: readonly {command: string; signs?: boolean; want: readonly string[]}[] = [
  {command: 'make test', want: []},
  {command: 'sudo ls', want: ['"sudo"']},
  {command: 'cd x && /usr/bin/sudo -n make install || sudo ls', want: ['"sudo"']},
  {command: 'doas reboot', want: ['"doas"']},
  {command: 'su -c ls', want: ['"su"']},
  {command: 'echo sudo', want: []},
  {command: 'git commit -m x', want: []},
  {command: 'git commit -m x', signs: true, want: ['sign']},
  {command: 'git -C a commit -S -m x', want: ['sign']},
  {command: 'git commit -S --no-gpg-sign', signs: true, want: []},
  {command: 'git commit -s -m "signed off"', want: []},
  {command: 'git tag -s v1', want: ['sign']},
  {command: 'git log', signs: true, want: []},
  {command: 'chromium --headless x', want: ['"chromium"']},
  {command: 'google-chrome --headless --no-sandbox x', want: []},
];

for (const {command, signs = false, want} of cases) {
  test(`closed: ${command}${signs ? ', with signatures asked for' : ''}`, () => {
    const messages = closedMessages({segments: analyze(command).segments, signs: () => signs});
    assert.equal(messages.length, want.length, JSON.stringify(messages));
    for (const [index, word] of want.entries()) assert.ok(messages[index]!.text.includes(word));
  });
}
