import {test} from 'node:test';
import assert from 'node:assert/strict';
import {quoted, renderMessage, type Message} from '../../src/errors.ts';

const messages: {name: string; message: Message; want: string}[] = [
  {name: 'one line', message: {text: 'the command is empty'}, want: 'ion: the command is empty\n'},
  {
    name: 'three lines',
    message: {
      text: 'unknown key "permissions.deny_command"',
      at: {file: '.ion/config.toml', line: 3},
      help: 'did you mean "deny_commands"?',
    },
    want: 'ion: unknown key "permissions.deny_command"\n --> .ion/config.toml:3\nhelp: did you mean "deny_commands"?\n',
  },
  {
    name: 'a file without a line',
    message: {text: 'x', at: {file: 'a.toml'}},
    want: 'ion: x\n --> a.toml\n',
  },
];
for (const {name, message, want} of messages) {
  test(`renderMessage: ${name}`, () => assert.equal(renderMessage(message), want));
}

const texts: {name: string; text: string; want: string}[] = [
  {name: 'plain', text: 'git push', want: '"git push"'},
  {name: 'a quote and a backslash', text: 'a"b\\c', want: '"a\\"b\\\\c"'},
  {name: 'a terminal escape', text: '\u001b[2J\r', want: '"\\e[2J\\r"'},
  {name: 'a bidi override', text: 'a\u202eb', want: '"a\\u{202e}b"'},
  {name: 'a lone surrogate', text: '\ud800', want: '"\\u{d800}"'},
  {name: 'a long text', text: 'x'.repeat(300), want: `"${'x'.repeat(200)}…"`},
];
for (const {name, text, want} of texts) {
  test(`quoted: ${name}`, () => assert.equal(quoted(text), want));
}
